import { expect, test } from 'vitest';
import { freeAt, nextLeaveAt, usedAt } from './sliding-window';

const window = {
  policy: 'coupon.seckill',
  level: 'user',
  limit: 3,
  windowMs: 10_000,
  used: 3,
  hits: [1_000, 4_000, 9_000],
};

test.each([
  [10_999, 3], // the first hit is 9 999 ms old
  [11_000, 2], // exactly as old as the window: gone
  [14_000, 1],
  [19_000, 0],
])('at %i ms the window holds %i', (now, used) => {
  expect(usedAt(window, now)).toBe(used);
});

test('hits beyond the known ones count until a known one leaves', () => {
  const long = { ...window, used: 5 };
  expect(usedAt(long, 10_999)).toBe(5);
  expect(usedAt(long, 11_000)).toBe(2);
});

test('the count changes when the oldest hit leaves', () => {
  expect(nextLeaveAt(window, 10_000)).toBe(11_000);
  expect(nextLeaveAt(window, 11_000)).toBe(14_000);
  expect(nextLeaveAt(window, 19_000)).toBeUndefined();
});

test('the next unit fits when enough have left', () => {
  expect(freeAt(window, 10_000)).toBe(11_000);
  expect(freeAt(window, 11_000)).toBeUndefined();
  expect(freeAt({ ...window, limit: 2 }, 10_000)).toBe(14_000);
});
