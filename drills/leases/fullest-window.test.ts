import { expect, test } from 'vitest';
import { listWindows } from './fullest-window';

test.each([
  { what: 'none', spends: [], most: 0 },
  {
    what: 'a window excludes its start',
    spends: [
      [0, 0],
      [100, 100],
    ],
    most: 1,
  },
  {
    what: 'a window includes its end',
    spends: [
      [1, 1],
      [100, 100],
    ],
    most: 2,
  },
  {
    what: 'a unit that may lie in the window counts',
    spends: [
      [-50, 1],
      [100, 100],
    ],
    most: 2,
  },
  {
    what: 'the end of the window may be early',
    spends: [
      [1, 1],
      [100, 900],
    ],
    most: 2,
  },
  {
    what: 'a unit that may lie before the end counts',
    spends: [
      [1, 1],
      [50, 400],
      [100, 100],
    ],
    most: 3,
  },
])('of the spends of a window of 100 ms, $what', ({ spends, most }) => {
  const listed = spends.map(([from = 0, until = 0]) => ({ from, until, isLeased: true }));
  expect(Math.max(0, ...listWindows(listed, 100).map(({ count }) => count))).toBe(most);
});
