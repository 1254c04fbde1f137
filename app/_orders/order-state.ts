import type { Order } from '../_trpc/types';

/**
 * The state of an order for its shopper. `confirming`: not yet written. `held`: unpaid, until `holdUntil`. `owned`:
 * final, so its code is valid.
 */
export type Ownership = 'confirming' | 'held' | 'owned';

/** Returns the state of an order for its shopper; `undefined` for an order that ended without a purchase. */
export function ownershipOf({
  status,
  holdUntil,
}: Pick<Order, 'status' | 'holdUntil'>): Ownership | undefined {
  switch (status) {
    case 'reserved':
      return 'confirming';
    case 'confirmed':
      return holdUntil === undefined ? 'owned' : 'held';
    case 'paid':
      return 'owned';
    case 'cancelled':
    case 'expired':
      return undefined;
  }
}

/** A coupon can be used for this time after its order. */
const VALID_MS = 90 * 24 * 3_600_000;

/** Returns the instant until which the code of an order is valid, in epoch ms. */
export function validUntil({ createdAt }: Pick<Order, 'createdAt'>): number {
  return createdAt + VALID_MS;
}

/** Returns the newest order of a coupon that has not ended without a purchase. */
export function findOwnOrder(orders: readonly Order[], couponId: string): Order | undefined {
  return orders
    .filter((order) => order.couponId === couponId && ownershipOf(order) !== undefined)
    .toSorted((one, other) => other.createdAt - one.createdAt)[0];
}

/** Adds an order to a list, newest first, or replaces its older version. */
export function withOrder(orders: readonly Order[], order: Order): Order[] {
  const others = orders.filter(({ id }) => id !== order.id);
  return [...others, order].toSorted((one, other) => other.createdAt - one.createdAt);
}

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

/** Formats the time left to pay, in whole seconds, as minutes and seconds: `14:59`. */
export function formatTimeToPay(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
