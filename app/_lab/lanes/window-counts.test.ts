import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changesOf, countInWindow, placeAfter } from './window-counts';

const ascending = fc.array(fc.integer({ min: 0, max: 1_000 })).map((list) => list.toSorted((a, b) => a - b));

test('an instant is in the window from its own millisecond on, until it is as old as the window', () => {
  const count = (at: number) => countInWindow([100], 50, at);
  expect([99, 100, 149, 150].map(count)).toEqual([0, 1, 1, 0]);
});

test('counts are those of the definition, and change at the listed instants only', () => {
  fc.assert(
    fc.property(ascending, fc.integer({ min: 1, max: 400 }), (instants, windowMs) => {
      const until = 1_500;
      const changes = changesOf([instants], windowMs, until);
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

test('the place after an instant is behind all of the same instant', () => {
  expect(placeAfter([1, 2, 2, 3], 2)).toBe(3);
  expect(placeAfter([], 2)).toBe(0);
});
