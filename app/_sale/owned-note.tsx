import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useRef } from 'react';
import { OrderCode } from '../_components/coupon';
import { Outcome } from '../_components/outcome';
import { useIsStateUnknown, useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { formatTimeToPay } from '../_orders/format-time-to-pay';
import { ownershipOf } from '../_orders/order-state';
import { rememberOrder } from '../_orders/remember-order';
import { useTRPC } from '../_trpc/client';
import type { Order } from '../_trpc/types';
import { flyTicket } from './ticket-flight';

interface Props {
  order: Order;
  /** The server's clock when the coupons were read. */
  serverNow: number;
  /** The last click bought it. */
  isNew?: boolean;
  /** The first sentence below the title. */
  children?: ReactNode;
}

/** Shows an order of the viewer on its coupon: being confirmed, held until paid, or final. */
export function OwnedNote({ order, serverNow, isNew = false, children }: Props) {
  const t = useTranslations('outcome');
  const note = useRef<HTMLDivElement>(null);
  useConfirmation(order);
  const ownership = ownershipOf(order);

  // One ticket per order, also for a second claim of the same coupon.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    // From the picture, so that the ticket covers neither this note nor the button.
    const picture = note.current?.closest('article')?.firstElementChild;
    if (isNew && picture) flyTicket(picture);
  }, [isNew, order.id]);

  return (
    <div ref={note}>
      {ownership === 'confirming' && <Outcome variant="confirming" title={t('reserved')} />}
      {ownership === 'held' && (
        <HeldNote until={order.holdUntil} serverNow={serverNow}>
          {children} {t('heldText')}
        </HeldNote>
      )}
      {ownership === 'owned' && (
        <Outcome variant="owned" title={t('confirmed')}>
          {children}
          {order.code && <OrderCode label={t('code')} code={order.code} />}
        </Outcome>
      )}
    </div>
  );
}

interface HeldProps extends Pick<Props, 'serverNow'> {
  until: number | undefined;
  children: ReactNode;
}

function HeldNote({ until, serverNow, children }: HeldProps) {
  const t = useTranslations('outcome');
  const seconds = useCountdown({ clock: useServerClock(), until, initial: serverNow });
  // A payment is a limited call, which needs the store.
  const isPaused = useIsStateUnknown();
  if (seconds === 0) {
    return (
      <Outcome variant="gone" title={t('holdOver')}>
        {t('holdOverText')}
      </Outcome>
    );
  }
  // A timer is not announced each second, although it is inside a live region.
  const time = () => <span role="timer">{formatTimeToPay(seconds)}</span>;
  return (
    <Outcome variant="held" title={t.rich(isPaused ? 'heldPaused' : 'held', { time })}>
      {isPaused ? t('heldPausedText') : children}
    </Outcome>
  );
}

/** Polls an order that is still reserved until it is written. */
function useConfirmation(order: Order): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { data } = useQuery(
    trpc.order.byId.queryOptions(
      { id: order.id },
      { enabled: order.status === 'reserved', refetchInterval: 1_000 },
    ),
  );
  const settled = data?.order.status === 'reserved' ? undefined : data?.order;

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per new status
  useEffect(() => {
    if (settled) void rememberOrder(settled, { trpc, queryClient });
  }, [settled]);
}
