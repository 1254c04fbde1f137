import { expect, test } from 'vitest';
import { latencyBucket, latencyOf } from './totals';

const countsOf = (durations: readonly number[]) => {
  const counts = new Map<number, number>();
  for (const ms of durations) counts.set(latencyBucket(ms), (counts.get(latencyBucket(ms)) ?? 0) + 1);
  return counts;
};

test('without decisions there is no latency', () => {
  expect(latencyOf(new Map())).toBeNull();
});

test('a percentile is never below the measured one, and at most a third above it', () => {
  for (const ms of [0.06, 0.1, 0.4999, 1, 7.3, 99, 250]) {
    const { p50Ms, p99Ms } = latencyOf(countsOf([ms])) ?? { p50Ms: 0, p99Ms: 0 };
    expect(p50Ms).toBe(p99Ms);
    expect(p50Ms).toBeGreaterThanOrEqual(ms * 0.999);
    expect(p50Ms).toBeLessThanOrEqual(ms * 1.34);
  }
});

test('one slow decision in a hundred is above the 99th percentile, two are not', () => {
  const fast = Array.from({ length: 98 }, () => 1);
  expect(latencyOf(countsOf([...fast, 1, 200]))?.p99Ms).toBeLessThan(2);
  expect(latencyOf(countsOf([...fast, 200, 200]))?.p99Ms).toBeGreaterThan(199);
});

test('a duration of zero is in the first bucket, and one of a year in the last', () => {
  expect(latencyBucket(0)).toBe(0);
  expect(latencyBucket(0.05)).toBe(0);
  expect(latencyBucket(1e10)).toBe(33);
});
