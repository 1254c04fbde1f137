import { expect, test } from 'vitest';
import type { Order } from '../_trpc/types';
import { groupOrders, withHeadings } from './order-groups';

function order(id: string, changes: Partial<Order> = {}): Order {
  return { id, couponId: 'c', userId: 'u', status: 'confirmed', createdAt: 1_000, ...changes };
}

test('what is to be paid comes first, the earliest deadline on top, and what has ended comes last', () => {
  const orders = [
    order('cancelled', { status: 'cancelled', createdAt: 9_000, holdUntil: 90_000 }),
    order('new-hold', { createdAt: 8_000, holdUntil: 80_000 }),
    order('free', { createdAt: 7_000 }),
    order('reserved', { status: 'reserved', createdAt: 6_000 }),
    order('paid', { status: 'paid', createdAt: 7_500, holdUntil: 50_000 }),
    order('old-hold', { createdAt: 2_000, holdUntil: 20_000 }),
  ];
  expect(list(groupOrders(orders))).toEqual([
    'due: old-hold',
    'new-hold',
    'confirming: reserved',
    'ready: paid',
    'free',
    'past: cancelled',
  ]);
});

test('a ticket that is paid on the page follows those to pay, under its own heading', () => {
  const [one, two] = [order('one', { holdUntil: 20_000 }), order('two', { holdUntil: 30_000 })];
  const paid = { status: 'paid', createdAt: 1_000 } as const;
  const free = order('free', { createdAt: 7_000 });
  const due = ['one', 'two'];
  expect(list(groupOrders([free, { ...one, ...paid }, two]), due)).toEqual([
    'due: two',
    'paid: one',
    'ready: free',
  ]);
  expect(list(groupOrders([free, one, { ...two, ...paid }]), due)).toEqual([
    'due: one',
    'paid: two',
    'ready: free',
  ]);
  expect(list(groupOrders([free, { ...one, ...paid }, { ...two, ...paid }]), due)).toEqual([
    'paid: one',
    'two',
    'ready: free',
  ]);
  expect(list(groupOrders([free, { ...one, ...paid }])), 'after a reload').toEqual(['ready: free', 'one']);
});

/** Returns the ids of tickets, with the heading above the first of a group. */
function list(grouped: ReturnType<typeof groupOrders>, due: string[] = []): string[] {
  const items = grouped.map(({ order: { id }, group }) => ({ id, group }));
  return withHeadings(items, due).map(({ id, heading }) => (heading ? `${heading}: ${id}` : id));
}

test('an empty wallet has no groups', () => {
  expect(groupOrders([])).toEqual([]);
});
