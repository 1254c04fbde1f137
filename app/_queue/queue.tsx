import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLiveQueue, useServerClock, useSoldOutIds } from '../_live/live-provider';
import { rememberOrder } from '../_orders/use-orders';
import type { CouponList } from '../_sale/use-coupons';
import { useTRPC } from '../_trpc/client';
import type { Coupon, Ticket } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { storeSeenTickets } from './seen-tickets';
import { endReasonOf, isWaiting, listShownTickets, nextReadAt } from './tickets';

interface Props {
  /** The coupons on the page. */
  coupons: readonly Pick<Coupon, 'id' | 'title' | 'endsAt'>[];
  /** Called with the tickets that the page shows, by coupon, after each change. */
  onTickets(tickets: Readonly<Record<string, Ticket>>): void;
}

/** Reads the viewer's tickets while they wait. Draws nothing. */
export function Queue({ coupons, onTickets }: Props) {
  const { user } = useViewer();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const clock = useServerClock();
  const version = useLiveQueue('coupon.seckill')?.version ?? 0;
  const soldOutIds = useSoldOutIds();
  const seen = useRef(new Map<string, Ticket>());
  const { data, isFetching } = useQuery(trpc.queue.mine.queryOptions());
  const tickets = data?.tickets;

  useEffect(() => {
    if (!tickets) return;
    for (const ticket of tickets) {
      if (isWaiting(ticket)) seen.current.set(ticket.ticketId, ticket);
      const before = seen.current.get(ticket.ticketId);
      const { outcome } = ticket.state === 'served' ? ticket : {};
      if (outcome && 'order' in outcome && before && isWaiting(before)) {
        void rememberOrder(outcome.order, { trpc, queryClient });
      }
      const reason = endReasonOf(ticket);
      if (before && (reason === 'closed' || reason === 'ended')) {
        queryClient.setQueryData(
          trpc.coupon.list.infiniteQueryKey({}),
          (list) => list && { ...list, pages: list.pages.map((page) => endCoupon(page, ticket.couponId)) },
        );
      }
      if (before) seen.current.set(ticket.ticketId, ticket);
    }
    const shown = listShownTickets(tickets, seen.current);
    onTickets(Object.fromEntries(shown.map((ticket) => [ticket.couponId, ticket])));
  }, [tickets, onTickets, trpc, queryClient]);

  // For a wallet that opens after the store has lost a ticket.
  useEffect(() => {
    if (!user || !tickets) return;
    const titleOf = ({ couponId }: Ticket) => coupons.find(({ id }) => id === couponId)?.title ?? '';
    storeSeenTickets(
      user.id,
      tickets.filter(isWaiting).map((ticket) => ({ ticket, title: titleOf(ticket) })),
    );
  }, [tickets, coupons, user]);

  // The queue may move during a read, so the version before it counts.
  const lastRead = useRef({ at: 0, version });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per read
  useEffect(() => {
    if (isFetching) lastRead.current = { at: clock.now(), version };
  }, [isFetching]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: also after a read that changed nothing
  useEffect(() => {
    const now = clock.now();
    const { at: readAt, version: readVersion } = lastRead.current;
    const moves = version - readVersion;
    const ended = coupons.filter(({ endsAt }) => endsAt <= now).map(({ id }) => id);
    const overIds = [...soldOutIds.split(' '), ...ended];
    const at = nextReadAt(tickets ?? [], { readAt, now, moves, overIds });
    if (at === undefined) return;
    const timer = setTimeout(
      () => void queryClient.invalidateQueries(trpc.queue.mine.queryFilter()),
      Math.max(0, at - now),
    );
    return () => clearTimeout(timer);
  }, [tickets, isFetching, version, soldOutIds, coupons, clock, queryClient, trpc]);

  return null;
}

/** Ends a coupon at the instant of its list, so that its card agrees with its ended ticket before the next list. */
function endCoupon(list: CouponList, couponId: string): CouponList {
  const coupons = list.coupons.map((coupon) =>
    coupon.id === couponId && coupon.endsAt > list.serverNow ? { ...coupon, endsAt: list.serverNow } : coupon,
  );
  return { ...list, coupons };
}
