import { expect, it } from 'vitest';
import { median } from './median.mjs';

it('is the value in the middle, whatever the order', () => {
  expect(median([0.9, 1, 0.95])).toBe(0.95);
  expect(median([7])).toBe(7);
});

it('is the lower of two in the middle', () => {
  expect(median([4, 1, 3, 2])).toBe(2);
});

it('refuses to make up a number', () => {
  expect(() => median([])).toThrow(RangeError);
});
