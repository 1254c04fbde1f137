import { useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { type ReactNode, type RefCallback, useId, useState } from 'react';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import type { Purchase, PurchaseResult } from '../_sale/use-purchase';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { problemOf } from '../_trpc/problem';
import type { Ticket } from '../_trpc/types';
import styles from './queue.module.css';
import { isWaiting } from './tickets';

const Turn = dynamic(async () => (await import('./ticket-note')).Turn, { loading: () => null });

interface Props {
  /** The viewer's ticket, as the server lists it. */
  ticket: Ticket | undefined;
  /** The ticket of its last click may not be listed yet. */
  purchase: Pick<Purchase, 'join' | 'busy' | 'result'>;
  /** The shared window has refused the viewer, who may join. */
  isFull: boolean;
  /** The button of a coupon without a queue. */
  children: ReactNode;
  /** The id of the coupon's title, which completes the button's name. */
  titleId: string;
  large: boolean;
  ref: RefCallback<HTMLElement>;
}

/** The action of a coupon whose shared window is full: join the queue, or leave it. */
export function QueueAction({
  ticket: listed,
  purchase: { join, busy, result },
  isFull,
  children,
  titleId,
  large,
  ref,
}: Props) {
  const t = useTranslations('queue');
  const id = useId();
  const ticket = listed ?? ticketOf(result);
  const { leave, isLeaving } = useLeave(ticket);
  const name = { ref, id, 'aria-labelledby': `${id} ${titleId}`, size: large ? 'large' : 'medium' } as const;
  if (ticket && isWaiting(ticket))
    return (
      <div className={classNames(layout.stack2, styles.waiting)}>
        <Turn ticket={ticket} />
        <Button {...name} wide busy={isLeaving} closed={ticket.state !== 'waiting'} onClick={leave}>
          {t('leave')}
        </Button>
      </div>
    );
  if (!isFull) return children;
  return (
    <Button {...name} variant="primary" wide busy={busy} onClick={join}>
      {t(busy ? 'joining' : 'join')}
    </Button>
  );
}

function ticketOf(result: PurchaseResult): Ticket | undefined {
  return result.kind === 'reply' && result.reply.outcome === 'queued' ? result.reply.ticket : undefined;
}

/** Returns a function that ends a ticket of the viewer. A ticket that is no longer waiting is read again. */
export function useLeave(ticket: Pick<Ticket, 'ticketId'> | undefined): {
  leave(): Promise<void>;
  isLeaving: boolean;
} {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [isLeaving, setLeaving] = useState(false);

  async function leave(): Promise<void> {
    if (!ticket) return;
    setLeaving(true);
    try {
      await client.queue.leave.mutate({ ticketId: ticket.ticketId });
    } catch (error) {
      // The ticket was served or ended meanwhile, or the call was lost: the next read shows which.
      if (problemOf(error).kind === 'broken') throw error;
    } finally {
      await queryClient.invalidateQueries(trpc.queue.mine.queryFilter());
      setLeaving(false);
    }
  }

  return { leave, isLeaving };
}
