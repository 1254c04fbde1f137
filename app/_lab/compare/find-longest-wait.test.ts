import { expect, test } from 'vitest';
import type { DecidedCall } from '../types';
import { findLongestWait } from './find-longest-wait';

const call = (changes: Partial<DecidedCall>): DecidedCall => ({
  at: 0,
  allowed: true,
  remaining: 0,
  retryAfterMs: 0,
  delayMs: 0,
  ...changes,
});

test('a queued call may wait longer than a refused one', () => {
  const refused = call({ allowed: false, retryAfterMs: 334 });
  expect(findLongestWait([call({}), call({ delayMs: 8_667 }), refused])).toBe(8_667);
  expect(findLongestWait([call({}), refused])).toBe(334);
  expect(findLongestWait([])).toBe(0);
});
