import { ownershipOf } from '../_orders/order-state';
import type { Order } from '../_trpc/types';

/** Counts the coupons of a wallet: to be paid, or ready to use. */
export function countCoupons(orders: readonly Order[]): number {
  return orders.filter((order) => ownershipOf(order) !== undefined).length;
}
