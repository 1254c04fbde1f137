import { expect, test } from 'vitest';
import type { Order } from '../_trpc/types';
import { groupOrders } from './order-groups';

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
  expect(
    groupOrders(orders).map(({ order: { id }, group, isFirst }) => `${isFirst ? `${group}: ` : ''}${id}`),
  ).toEqual(['due: old-hold', 'new-hold', 'confirming: reserved', 'ready: paid', 'free', 'past: cancelled']);
});

test('an empty wallet has no groups', () => {
  expect(groupOrders([])).toEqual([]);
});
