import { expect, test } from 'vitest';
import type { Coupon } from '../_trpc/types';
import { nextChangeAt, stateAt } from './coupon-state';

const coupon: Coupon = {
  id: 'a',
  merchantId: 'm',
  merchant: { name: 'M', category: 'Food', address: 'Road 1' },
  kind: 'seckill',
  title: 'Noodles',
  faceValueCents: 2_000,
  priceCents: 0,
  stock: { total: 10, remaining: 4 },
  startsAt: 1_000,
  endsAt: 2_000,
  state: 'live',
};
const claim: Coupon = { ...coupon, kind: 'claim', stock: null };
const paused: Coupon = { ...coupon, state: 'paused' };

test.each([
  ['one millisecond before it starts', coupon, { now: 999 }, 'upcoming'],
  ['at its start', coupon, { now: 1_000 }, 'live'],
  ['when the live stock is 0', coupon, { now: 1_500, hasStock: false }, 'sold-out'],
  [
    'when the live stock is above 0 again',
    { ...coupon, state: 'sold-out' as const },
    { now: 1_500, hasStock: true },
    'live',
  ],
  ['at its end', coupon, { now: 2_000 }, 'ended'],
  ['at the end of a sold-out coupon', coupon, { now: 2_000, hasStock: false }, 'sold-out'],
  ['while its gate is rebuilt', paused, { now: 1_500, hasStock: true }, 'paused'],
  ['while its state is unknown', coupon, { now: 1_500, isUnknown: true }, 'paused'],
  ['of a sold-out coupon meanwhile', coupon, { now: 1_500, hasStock: false, isUnknown: true }, 'sold-out'],
  ['of a coupon that has not started meanwhile', coupon, { now: 999, isUnknown: true }, 'upcoming'],
  ['of a paused coupon after its end', paused, { now: 2_000 }, 'ended'],
  ['of a coupon without a stock', claim, { now: 1_500 }, 'live'],
])('the state %s', (_, given, at, state) => {
  expect(stateAt(given, at)).toBe(state);
});

test('the clock changes the state at the start and at the end, and never after', () => {
  expect(nextChangeAt(coupon, 0)).toBe(1_000);
  expect(nextChangeAt(coupon, 1_000)).toBe(2_000);
  expect(nextChangeAt(coupon, 2_000)).toBeUndefined();
});
