import { expect, test } from 'vitest';
import type { Order } from '../_trpc/types';
import { findOwnOrder, ownershipOf, withOrder } from './order-state';

const now = 100_000;

function order(id: string, changes: Partial<Order> = {}): Order {
  return { id, couponId: 'c', userId: 'u', status: 'confirmed', createdAt: 1_000, ...changes };
}

const held = order('held', { holdUntil: now + 60_000 });

test.each([
  ['confirming', order('o', { status: 'reserved' })],
  ['held', held],
  ['owned', order('o')],
  ['owned', order('o', { status: 'paid', holdUntil: now })],
  [undefined, order('o', { status: 'cancelled', holdUntil: now })],
  [undefined, order('o', { status: 'expired', holdUntil: now })],
] as const)('the ownership is %s', (ownership, { status, holdUntil }) => {
  expect(ownershipOf({ status, holdUntil })).toBe(ownership);
});

test('a coupon belongs to the newest order that has not ended', () => {
  const older = order('older');
  const newer = order('newer', { createdAt: 2_000 });
  const cancelled = order('cancelled', { createdAt: 3_000, status: 'cancelled' });
  expect(findOwnOrder([cancelled, older, newer], 'c')).toBe(newer);
  expect(findOwnOrder([cancelled], 'c')).toBeUndefined();
  expect(findOwnOrder([older], 'another coupon')).toBeUndefined();
});

test('an order replaces its older version, newest first', () => {
  const paid = order('held', { status: 'paid', createdAt: 5_000 });
  expect(withOrder([order('first'), held], paid)).toEqual([paid, order('first')]);
});
