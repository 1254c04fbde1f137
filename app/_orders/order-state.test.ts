import { expect, test } from 'vitest';
import type { Order } from '../_trpc/types';
import {
  countCoupons,
  countDue,
  findOwnOrder,
  formatTimeToPay,
  ownershipOf,
  refetchAfterHoldMs,
  withOrder,
} from './order-state';

const now = 100_000;

function order(id: string, changes: Partial<Order> = {}): Order {
  return { id, couponId: 'c', userId: 'u', status: 'confirmed', createdAt: 1_000, ...changes };
}

const held = order('held', { holdUntil: now + 60_000 });
const reserved = order('reserved', { status: 'reserved' });
const paid = order('held', { status: 'paid', createdAt: 5_000, holdUntil: now + 60_000 });
const cancelled = order('cancelled', { status: 'cancelled', createdAt: 3_000 });

test.each([
  ['confirming', reserved],
  ['held', held],
  ['owned', order('o')],
  ['owned', paid],
  [undefined, cancelled],
  [undefined, order('o', { status: 'expired', holdUntil: now })],
] as const)('the ownership is %s', (ownership, { status, holdUntil }) => {
  expect(ownershipOf({ status, holdUntil })).toBe(ownership);
});

test('a coupon belongs to the newest order that has not ended', () => {
  const older = order('older');
  const newer = order('newer', { createdAt: 2_000 });
  expect(findOwnOrder([cancelled, older, newer], 'c')).toBe(newer);
  expect(findOwnOrder([cancelled], 'c')).toBeUndefined();
  expect(findOwnOrder([older], 'another coupon')).toBeUndefined();
});

test('an order replaces its older version, newest first', () => {
  expect(withOrder([order('first'), held], paid)).toEqual([paid, order('first')]);
});

test('the wallet counts what is to be paid or ready to use', () => {
  expect(countCoupons([reserved, held, order('o'), paid])).toBe(4);
  expect(countCoupons([cancelled, order('o', { status: 'expired' })])).toBe(0);
});

test('a payment is due while an order is held', () => {
  expect(countDue([paid, held])).toBe(1);
  expect(countDue([paid, order('o')])).toBe(0);
});

const heldUntil = (holdUntil: number) => order('held', { holdUntil });

test('the list is read again 3 s after the first hold ends, then every 3 s', () => {
  expect(refetchAfterHoldMs([heldUntil(now + 90_000), heldUntil(now + 60_000)], now)).toBe(63_000);
  expect(refetchAfterHoldMs([heldUntil(now - 1_000)], now)).toBe(3_000);
});

test('without a hold the list is not read again', () => {
  expect(refetchAfterHoldMs([order('o'), paid], now)).toBe(false);
});

test.each([
  [0, '0:00'],
  [9, '0:09'],
  [60, '1:00'],
  [899, '14:59'], // 14 · 60 + 59
  [3_600, '60:00'],
])('%i s left to pay are %s', (seconds, text) => {
  expect(formatTimeToPay(seconds)).toBe(text);
});
