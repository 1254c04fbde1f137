import { expect, it } from 'vitest';
import { median } from './median.mjs';

it('the median is the middle value in any order', () => {
  expect(median([0.9, 1, 0.95])).toBe(0.95);
  expect(median([7])).toBe(7);
});

it('of an even number of values it is the lower middle value', () => {
  expect(median([4, 1, 3, 2])).toBe(2);
});

it('without values it throws', () => {
  expect(() => median([])).toThrow(RangeError);
});
