import { describe, expect, test } from 'vitest';
import type { LiveWindow } from '../_live/live-event';
import { freeAt, nextLeaveAt, usedAt } from './sliding-window';

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
  expect([0, 1_000, 3_500, 6_000].map((laterMs) => usedAt(lowered, readAt + laterMs))).toEqual([6, 5, 4, 3]);
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
