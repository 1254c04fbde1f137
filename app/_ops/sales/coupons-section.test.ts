import { expect, test } from 'vitest';
import { getCouponState, hasOpened } from './coupons-section';

const sale = { startsAt: 1_000, endsAt: 2_000, stock: { total: 5, sold: 4 } };

test.each([
  [999, sale, 'upcoming'],
  [1_000, sale, 'live'],
  [1_999, { ...sale, stock: null }, 'live'],
  [1_500, { ...sale, stock: { total: 5, sold: 5 } }, 'sold-out'],
  [2_000, sale, 'ended'],
  [2_000, { ...sale, stock: { total: 5, sold: 5 } }, 'ended'],
])('at %d a sale of %j is %s', (now, coupon, state) => expect(getCouponState(coupon, now)).toBe(state));

test('a sale that was ended before its start has not opened', () => {
  expect(hasOpened({ startsAt: 1_999, endsAt: 2_000 })).toBe(false);
  expect(hasOpened(sale)).toBe(true);
});
