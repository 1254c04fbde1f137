import { expect, test } from 'vitest';
import type { Order } from '../_trpc/types';
import { countCoupons } from './count-coupons';

function order(status: Order['status'], changes: Partial<Order> = {}): Order {
  return { id: status, couponId: 'c', userId: 'u', status, createdAt: 1_000, ...changes };
}

test('the wallet counts what is to be paid or ready to use', () => {
  const held = order('confirmed', { holdUntil: 60_000 });
  expect(countCoupons([order('reserved'), held, order('confirmed'), order('paid')])).toBe(4);
  expect(countCoupons([order('cancelled'), order('expired')])).toBe(0);
});
