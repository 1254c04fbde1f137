import { describe, expect, test } from 'vitest';
import type { LiveWindow } from '../_live/live-feed';
import { freeAt, nextLeaveAt, usedAt } from './window-count';

describe('a window with known hits', () => {
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
      const hits = Array.from({ length: 200 }, (_, index) => eventAt - (199 - index) * 50);
      expect(freeAt({ ...flooded, hits }, now - 400)).toBeDefined();
    }
    // The last event was that of 51 750: its first hit leaves at 51 800, and 400 ms later the window is open.
    const hits = Array.from({ length: 200 }, (_, index) => 51_750 - (199 - index) * 50);
    expect(freeAt({ ...flooded, hits }, 52_199 - 400)).toBe(51_800);
    expect(freeAt({ ...flooded, hits }, 52_200 - 400)).toBeUndefined();
  });
});

describe('a window with a count only', () => {
  const readAt = 100_000;
  /** 4 in 10 s: one unit comes back every 2 500 ms. */
  const bucket: LiveWindow = {
    ...{ policy: 'p', level: 'user', algorithm: 'token-bucket', limit: 4, windowMs: 10_000 },
    ...{ used: 4, hits: [], retryAfterMs: 1_000, readAt },
  };

  describe('a full bucket of 4 in 10 s, whose next unit is back in 1 s', () => {
    test.each([
      [0, 4, 1_000], // as it was read
      [999, 4, 1_000],
      [1_000, 3, 3_500], // 1 000: the first; the next 2 500 later
      [3_499, 3, 3_500],
      [3_500, 2, 6_000],
      [6_000, 1, 8_500],
      [8_500, 0, undefined], // 1 000 + 3 × 2 500
      [90_000, 0, undefined],
    ])('%i ms later %i units are out, and the next change is at %s', (laterMs, used, next) => {
      expect(usedAt(bucket, readAt + laterMs)).toBe(used);
      expect(nextLeaveAt(bucket, readAt + laterMs)).toBe(next === undefined ? undefined : readAt + next);
    });

    test('the next unit fits when the first is back, and then one fits', () => {
      expect(freeAt(bucket, readAt)).toBe(readAt + 1_000);
      expect(freeAt(bucket, readAt + 999)).toBe(readAt + 1_000);
      expect(freeAt(bucket, readAt + 1_000)).toBeUndefined();
    });
  });

  test('a bucket that is not full is shown at most one unit too full, for the time of one unit', () => {
    const half = { ...bucket, used: 2, retryAfterMs: 0 };
    expect([0, 2_499, 2_500, 5_000].map((laterMs) => usedAt(half, readAt + laterMs))).toEqual([2, 2, 1, 0]);
    expect(freeAt(half, readAt)).toBeUndefined();
  });

  test('a bucket above its lowered limit returns the excess first', () => {
    // Of 6 out, 3 have to return before one of 4 fits: at 1 000, 3 500 and 6 000.
    const lowered = { ...bucket, used: 6, retryAfterMs: 6_000 };
    expect([0, 1_000, 3_500, 6_000].map((laterMs) => usedAt(lowered, readAt + laterMs))).toEqual([
      6, 5, 4, 3,
    ]);
    expect(freeAt(lowered, readAt)).toBe(readAt + 6_000);
    expect(freeAt(lowered, readAt + 6_000)).toBeUndefined();
  });

  test('a leaky bucket counts as a token bucket does', () => {
    const queue = { ...bucket, algorithm: 'leaky-bucket' };
    expect(usedAt(queue, readAt + 3_500)).toBe(2);
  });

  test.each([
    ['fixed-window', 0],
    ['sliding-counter', 3],
  ])('a full %s is full until a unit fits, and then holds %i', (algorithm, left) => {
    const full = { ...bucket, algorithm };
    expect(usedAt(full, readAt + 999)).toBe(4);
    expect(freeAt(full, readAt)).toBe(readAt + 1_000);
    expect(usedAt(full, readAt + 1_000)).toBe(left);
    expect(freeAt(full, readAt + 1_000)).toBeUndefined();
  });

  test('the next change of a fixed window that is not full is unknown', () => {
    const begun = { ...bucket, algorithm: 'fixed-window', used: 3, retryAfterMs: 0 };
    expect(usedAt(begun, readAt + 60_000)).toBe(3);
    expect(nextLeaveAt(begun, readAt)).toBeUndefined();
  });
});
