import { expect, test } from 'vitest';
import { fullestWindow } from './window-log';

/** One hit at each instant. */
const at = (...instants: number[]) => instants.map((instant) => [instant, 1] as const);

test.each([
  { name: 'without hits the fullest window has 0', hits: at(), fullest: 0 },
  // (0, 1000] has 1 and 1000; (500, 1500] has 1000 and 1500.
  { name: 'a hit leaves its window after exactly its length', hits: at(0, 1_000), fullest: 1 },
  { name: 'a hit is in its window 1 ms earlier', hits: at(1, 1_000), fullest: 2 },
  { name: 'each hit of the same millisecond counts', hits: [[5, 3] as const, ...at(900)], fullest: 4 },
  { name: 'hits may be in any order', hits: at(900, 2_500, 100, 1_000), fullest: 3 },
  { name: 'the last window may be the fullest', hits: at(0, 5_000, 5_001, 5_002), fullest: 3 },
])('$name', ({ hits, fullest }) => {
  expect(fullestWindow(hits, { windowMs: 1_000 })).toBe(fullest);
});

test('a window does not span a data loss of Redis', () => {
  const hits = at(100, 200, 300, 400, 500);
  expect(fullestWindow(hits, { windowMs: 1_000 })).toBe(5);
  expect(fullestWindow(hits, { windowMs: 1_000, cuts: [300] })).toBe(3);
  expect(fullestWindow(hits, { windowMs: 1_000, cuts: [150, 350] })).toBe(2);
});
