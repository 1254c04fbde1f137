import { expect, test } from 'vitest';
import { getCouponState, hasOpened, sortByState } from './coupons-section';

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

test('live sales come first, those that end first; then upcoming ones by their start; then sold-out and ended ones', () => {
  const sale = (name: string, startsAt: number, endsAt: number, sold = 0) => ({
    ...{ name, startsAt, endsAt },
    stock: { total: 5, sold },
  });
  const sales = [
    ...[sale('ended first', 0, 10), sale('ended last', 0, 20), sale('sold out', 0, 150, 5)],
    ...[sale('opens later', 130, 190), sale('opens next', 120, 400)],
    ...[sale('ends later', 0, 300), sale('ends next', 0, 200)],
  ];
  expect(sortByState(sales, 100).map(({ name }) => name)).toEqual([
    ...['ends next', 'ends later', 'opens next', 'opens later', 'sold out', 'ended last', 'ended first'],
  ]);
});
