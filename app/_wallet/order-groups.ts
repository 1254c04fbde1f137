import { ownershipOf } from '../_orders/order-state';
import type { Order } from '../_trpc/types';

/** A part of the wallet: to be paid, being confirmed, to be shown at the till, or ended without a purchase. */
export type OrderGroup = 'due' | 'confirming' | 'ready' | 'past';

const groups = ['due', 'confirming', 'ready', 'past'] as const satisfies readonly OrderGroup[];

interface GroupedOrder {
  order: Order;
  group: OrderGroup;
  /** The heading of the group stands above this order. */
  isFirst: boolean;
}

/** Sorts orders by group. The hold that ends first comes first; in the other groups, the newest order. */
export function groupOrders(orders: readonly Order[]): GroupedOrder[] {
  return groups.flatMap((group) =>
    orders
      .filter((order) => groupOf(order) === group)
      .toSorted(group === 'due' ? byDeadline : newestFirst)
      .map((order, index) => ({ order, group, isFirst: index === 0 })),
  );
}

function groupOf(order: Order): OrderGroup {
  const ownership = ownershipOf(order);
  if (ownership === 'confirming') return 'confirming';
  if (ownership === 'held') return 'due';
  return ownership === 'owned' ? 'ready' : 'past';
}

function byDeadline({ holdUntil: one = 0 }: Order, { holdUntil: other = 0 }: Order): number {
  return one - other;
}

function newestFirst(one: Order, other: Order): number {
  return other.createdAt - one.createdAt;
}
