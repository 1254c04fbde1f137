import type { Order } from '../_trpc/types';
import { ownershipOf } from './order-state';

/** Counts the coupons of a wallet: to be paid, or ready to use. */
export function countCoupons(orders: readonly Order[]): number {
  return orders.filter((order) => ownershipOf(order) !== undefined).length;
}

/** Counts the orders that are held until they are paid. */
export function countDue(orders: readonly Order[]): number {
  return orders.filter((order) => ownershipOf(order) === 'held').length;
}

/** Time from the end of a hold to the request for its new status, and between the next ones. */
const LAPSED_REFETCH_MS = 3_000;
const MAX_REFETCH_MS = 3_600_000;

/** Returns the time until the list must be read again because a hold has ended; `false` without a hold. */
export function refetchAfterHoldMs(orders: readonly Order[], now: number): number | false {
  const ends = orders.flatMap((order) => (ownershipOf(order) === 'held' ? [order.holdUntil ?? now] : []));
  if (ends.length === 0) return false;
  return Math.min(MAX_REFETCH_MS, Math.max(0, Math.min(...ends) - now) + LAPSED_REFETCH_MS);
}
