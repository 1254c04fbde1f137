import { expect, test } from 'vitest';
import { countMaxConcurrent } from './lease-holder-frozen';

test.each([
  { periods: [], most: 0 },
  { periods: [[1, 5]], most: 1 },
  {
    periods: [
      [1, 5],
      [5, 9],
    ],
    most: 1,
  },
  {
    periods: [
      [5, 9],
      [1, 6],
      [2, 3],
      [3, 6],
    ],
    most: 3,
  },
  {
    periods: [
      [1, 9],
      [4, 4],
    ],
    most: 1,
  },
])('of $periods, $most have an instant in common', ({ periods, most }) => {
  expect(countMaxConcurrent(periods.map(([from = 0, until = 0]) => ({ from, until })))).toBe(most);
});
