import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DecidedCall } from '../types';
import { countInWindow, findIndexAfter, getInstantState, listChanges } from './window-counts';

const ascending = fc.array(fc.integer({ min: 0, max: 1_000 })).map((list) => list.toSorted((a, b) => a - b));

test('a time is in the window from its own millisecond until it is as old as the window', () => {
  const count = (at: number) => countInWindow([100], 50, at);
  expect([99, 100, 149, 150].map(count)).toEqual([0, 1, 1, 0]);
});

test('counts match the definition and change only at the listed times', () => {
  fc.assert(
    fc.property(ascending, fc.integer({ min: 1, max: 400 }), (instants, windowMs) => {
      const until = 1_500;
      const changes = listChanges([instants], windowMs, until);
      let now = 0;
      for (let at = 0; at <= until; at += 1) {
        const defined = instants.filter((one) => one > at - windowMs && one <= at).length;
        if (changes.includes(at)) now = defined;
        expect(defined).toBe(now);
        if (at % 97 === 0) expect(countInWindow(instants, windowMs, at)).toBe(defined);
      }
    }),
    { numRuns: 30 },
  );
});

test('the index after a time follows all equal times', () => {
  expect(findIndexAfter([1, 2, 2, 3], 2)).toBe(3);
  expect(findIndexAfter([], 2)).toBe(0);
});

describe('the state of an algorithm', () => {
  const call = (at: number, changes: Partial<DecidedCall> = {}): DecidedCall => ({
    at,
    allowed: true,
    remaining: 0,
    retryAfterMs: 0,
    delayMs: 0,
    ...changes,
  });

  const decisions = [call(100), call(200, { delayMs: 300 }), call(250, { allowed: false, retryAfterMs: 70 })];

  test.each([
    [99, { inWindow: 0, last: undefined, queued: 0 }],
    [100, { inWindow: 1, last: decisions[0], queued: 0 }],
    // The second call waits until 500. The third call is refused and not counted.
    [260, { inWindow: 2, last: decisions[2], queued: 1 }],
    // (-..., 1 100] begins after 100.
    [1_100, { inWindow: 1, last: decisions[2], queued: 0 }],
  ])('at %i ms', (at, moment) => {
    expect(getInstantState({ decisions, windowMs: 1_000 }, at)).toEqual(moment);
  });
});
