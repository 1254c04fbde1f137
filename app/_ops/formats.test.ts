import { expect, test } from 'vitest';
import { formatPercent } from './formats';

test.each([
  [0, '0%'],
  [0.001, '<1%'],
  [0.0099, '<1%'],
  [0.01, '1%'],
  [0.505, '51%'],
  [0.998, '99%'],
  [1, '100%'],
])('a share of %d is %s', (share, text) => {
  expect(formatPercent(share)).toBe(text);
});
