import { expect, it } from 'vitest';
import { maxWithin } from './exactness';

it('counts calls that were sent and answered within one window', () => {
  expect(maxWithin([], 100)).toBe(0);
  // 0 to 98.9 is less than 99 ms, one less than the window: whole milliseconds may hide one.
  const spans = [
    [0, 1],
    [50, 60],
    [98, 98.9],
  ] as const;
  expect(maxWithin(spans, 100)).toBe(3);
});

it('leaves out what may have been decided a window later', () => {
  const spans = [
    [0, 1],
    [98, 101],
  ] as const;
  expect(maxWithin(spans, 100)).toBe(1);
});
