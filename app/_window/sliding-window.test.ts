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

test('a meter with a 400 ms delay never shows a flooded window as open between two events', () => {
  const flooded = { ...window, limit: 200, used: 200 };
  for (let now = 50_000; now < 52_000; now += 10) {
    // Four events and twenty hits a second. Each hit arrives as soon as another one has left.
    const eventAt = Math.floor(now / 250) * 250;
    const hits = Array.from({ length: 200 }, (_, place) => eventAt - (199 - place) * 50);
    expect(freeAt({ ...flooded, hits }, now - 400)).toBeDefined();
  }
  // The last event was that of 51 750: its first hit leaves at 51 800, and 400 ms later the window is open.
  const hits = Array.from({ length: 200 }, (_, place) => 51_750 - (199 - place) * 50);
  expect(freeAt({ ...flooded, hits }, 52_199 - 400)).toBe(51_800);
  expect(freeAt({ ...flooded, hits }, 52_200 - 400)).toBeUndefined();
});
