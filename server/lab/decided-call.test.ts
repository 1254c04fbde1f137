import fc from 'fast-check';
import { expect, test } from 'vitest';
import { worstWindow } from './decided-call';

test.each([
  ['no times', [], { count: 0, endsAt: null }],
  ['one time', [7], { count: 1, endsAt: 7 }],
  // (0, 10] excludes the time 0.
  ['two times a window apart', [0, 10], { count: 1, endsAt: 0 }],
  ['two times 1 ms closer', [0, 9], { count: 2, endsAt: 9 }],
  ['several times in one millisecond', [3, 3, 3], { count: 3, endsAt: 3 }],
  ['unsorted times', [30, 5, 0, 31], { count: 2, endsAt: 5 }],
  // (5, 15] and (9, 19] have two each.
  ['the earliest of several full windows', [6, 15, 19], { count: 2, endsAt: 15 }],
])('fullest window of 10 ms: %s', (_case, instants, expected) => {
  expect(worstWindow(instants, 10)).toEqual(expected);
});

test('no other window holds more times', () => {
  const someInstants = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 });
  fc.assert(
    fc.property(someInstants, fc.integer({ min: 1, max: 40 }), (instants, windowMs) => {
      const counts = [...Array(101).keys()].map(
        (end) => instants.filter((instant) => instant > end - windowMs && instant <= end).length,
      );
      const { count, endsAt } = worstWindow(instants, windowMs);
      expect(count).toBe(Math.max(...counts));
      expect(endsAt).toBe(count === 0 ? null : counts.indexOf(count));
    }),
  );
});
