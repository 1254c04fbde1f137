import { ownershipOf } from '../_orders/order-state';
import type { Order } from '../_trpc/types';

/** A part of the wallet: to be paid, being confirmed, to be shown at the till, or ended without a purchase. */
export type OrderGroup = 'due' | 'confirming' | 'ready' | 'past';

const groups = ['due', 'confirming', 'ready', 'past'] as const satisfies readonly OrderGroup[];

interface GroupedOrder {
  order: Order;
  group: OrderGroup;
}

/** Sorts orders by group. The hold that ends first comes first; in the other groups, the newest order. */
export function groupOrders(orders: readonly Order[]): GroupedOrder[] {
  return groups.flatMap((group) =>
    orders
      .filter((order) => groupOf(order) === group)
      .toSorted(group === 'due' ? byDeadline : newestFirst)
      .map((order) => ({ order, group })),
  );
}

/**
 * Adds the headings above groups, and whether a ticket is the only one of its group. The tickets that were due and are now paid come after those to pay, under their own heading.
 * `due` has the ids of all tickets that were due on this page, in their order.
 */
export function withHeadings<Item extends { id: string; group: OrderGroup }>(
  items: readonly Item[],
  due: readonly string[],
): (Item & { heading: OrderGroup | 'paid' | undefined; isAlone: boolean })[] {
  const isPaid = ({ id, group }: Item) => group === 'ready' && due.includes(id);
  const paid = items.filter(isPaid).toSorted((one, other) => due.indexOf(one.id) - due.indexOf(other.id));
  const others = items.filter((item) => !isPaid(item));
  const sections = [
    ...others.filter(({ group }) => group === 'due').map((item) => ({ item, section: 'due' as const })),
    ...paid.map((item) => ({ item, section: 'paid' as const })),
    ...others.filter(({ group }) => group !== 'due').map((item) => ({ item, section: item.group })),
  ];
  return sections.map(({ item, section }, index) => ({
    ...item,
    heading: sections[index - 1]?.section === section ? undefined : section,
    isAlone: [index - 1, index + 1].every((neighbour) => sections[neighbour]?.section !== section),
  }));
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
