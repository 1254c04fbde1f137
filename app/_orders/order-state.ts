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
