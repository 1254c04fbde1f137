import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { type ReactNode, type RefCallback, useId } from 'react';
import { Button } from '../_components/ui/button';
import type { Purchase, PurchaseResult } from '../_sale/use-purchase';
import type { Ticket } from '../_trpc/types';
import { isWaiting } from './tickets';

const WaitingAction = dynamic(async () => (await import('./waiting-action')).WaitingAction, {
  loading: () => null,
});

interface Props {
  /** The viewer's ticket, as the server lists it. */
  ticket: Ticket | undefined;
  /** The ticket of its last click may not be listed yet. */
  purchase: Pick<Purchase, 'join' | 'busy' | 'result'>;
  /** The shared window has refused the viewer, who may join. */
  isOffered: boolean;
  /** That refusal has not ended, so joining is the only action. */
  isFull: boolean;
  /** The button of a coupon without a queue. */
  children: ReactNode;
  /** The id of the coupon's title, which completes the button's name. */
  titleId: string;
  large: boolean;
  ref: RefCallback<HTMLElement>;
}

/** The action of a coupon whose shared window is full, or was full a moment ago: join the queue, or leave it. */
export function QueueAction({
  ticket: listed,
  purchase: { join, busy, result },
  isOffered,
  isFull,
  children,
  titleId,
  large,
  ref,
}: Props) {
  const t = useTranslations('queue');
  const id = useId();
  const ticket = listed ?? ticketOf(result);
  const button = {
    ref,
    id,
    'aria-labelledby': `${id} ${titleId}`,
    size: large ? 'large' : 'medium',
  } as const;
  if (ticket && isWaiting(ticket)) return <WaitingAction {...{ ticket, button }} />;
  if (!isOffered) return children;
  return (
    <>
      {!isFull && children}
      <Button {...button} variant={isFull ? 'primary' : 'secondary'} wide busy={busy} onClick={join}>
        {t(busy && isFull ? 'joining' : 'join')}
      </Button>
    </>
  );
}

function ticketOf(result: PurchaseResult): Ticket | undefined {
  return result.kind === 'reply' && result.reply.outcome === 'queued' ? result.reply.ticket : undefined;
}
