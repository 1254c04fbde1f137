import { expect, test } from 'vitest';
import { formatTimeToPay } from './format-time-to-pay';

test.each([
  [0, '0:00'],
  [9, '0:09'],
  [60, '1:00'],
  [899, '14:59'], // 14 · 60 + 59
  [3_600, '60:00'],
])('%i s left to pay are %s', (seconds, text) => {
  expect(formatTimeToPay(seconds)).toBe(text);
});
