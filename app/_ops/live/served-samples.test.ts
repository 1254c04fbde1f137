import { expect, test } from 'vitest';
import { addServedSamples, type ServedSamples, servedPerSecond } from './served-samples';

const level = { policy: 'coupon.seckill', level: 'global' };
const queue = {
  ...{ ...level, waiting: 3, nextTurnAt: 1, lastTurnAt: 2, version: 4, unfinished: 0, isClosed: false },
  ...{ late: 0, longestLateMs: 0 },
};

/** Adds events of [instant, total] and returns the rate. */
function rateOf(events: readonly (readonly [at: number, served: number])[]): number {
  let samples: ServedSamples = {};
  for (const [serverNow, served] of events) {
    samples = addServedSamples(samples, { queues: [{ ...queue, served }], serverNow });
  }
  return servedPerSecond(Object.values(samples)[0]);
}

test('the rate is that of the last ten seconds', () => {
  expect(
    rateOf([
      [1_000, 0],
      [2_000, 10],
      [3_000, 20],
    ]),
  ).toBe(10);
  expect(
    rateOf([
      [1_000, 0],
      [21_000, 500],
      [22_000, 504],
    ]),
  ).toBe(4);
});

test('without an interval the rate is 0', () => {
  expect(servedPerSecond()).toBe(0);
  expect(rateOf([[1_000, 7]])).toBe(0);
});

test('a total that fell starts anew', () => {
  expect(
    rateOf([
      [1_000, 900],
      [2_000, 3],
    ]),
  ).toBe(0);
  expect(
    rateOf([
      [1_000, 900],
      [2_000, 3],
      [3_000, 5],
    ]),
  ).toBe(2);
});
