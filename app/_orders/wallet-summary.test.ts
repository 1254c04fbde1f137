import { expect, test } from 'vitest';
import type { Order } from '../_trpc/types';
import { countCoupons, countDue, refetchAfterHoldMs } from './wallet-summary';

function order(status: Order['status'], changes: Partial<Order> = {}): Order {
  return { id: status, couponId: 'c', userId: 'u', status, createdAt: 1_000, ...changes };
}

test('the wallet counts what is to be paid or ready to use', () => {
  const held = order('confirmed', { holdUntil: 60_000 });
  expect(countCoupons([order('reserved'), held, order('confirmed'), order('paid')])).toBe(4);
  expect(countCoupons([order('cancelled'), order('expired')])).toBe(0);
});

test('a payment is due while an order is held', () => {
  const held = order('confirmed', { holdUntil: 60_000 });
  expect(countDue([order('paid', { holdUntil: 60_000 }), held])).toBe(1);
  expect(countDue([order('paid', { holdUntil: 60_000 }), order('confirmed')])).toBe(0);
});

const now = 100_000;
const heldUntil = (holdUntil: number) => order('confirmed', { holdUntil });

test('the list is read again 3 s after the first hold ends, then every 3 s', () => {
  expect(refetchAfterHoldMs([heldUntil(now + 90_000), heldUntil(now + 60_000)], now)).toBe(63_000);
  expect(refetchAfterHoldMs([heldUntil(now - 1_000)], now)).toBe(3_000);
});

test('without a hold the list is not read again', () => {
  expect(refetchAfterHoldMs([order('confirmed'), order('paid', { holdUntil: now })], now)).toBe(false);
});
