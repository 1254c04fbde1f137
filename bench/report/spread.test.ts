import { expect, test } from 'vitest';
import { spreadOf } from './spread.mjs';

test('a spread is the median and the quartiles, in any order of rounds', () => {
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 });
  expect(spreadOf([7, 1, 2, 3, 4, 5, 6, 9, 8])).toEqual({ median: 5, low: 3, high: 7 });
});

test('one round is its own spread', () => {
  expect(spreadOf([2])).toEqual({ median: 2, low: 2, high: 2 });
});
