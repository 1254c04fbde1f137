import { expect, test } from 'vitest';
import type { DecidedCall } from '../types';
import { getInstantState } from './instant-state';

const call = (at: number, changes: Partial<DecidedCall> = {}): DecidedCall => ({
  at,
  allowed: true,
  remaining: 0,
  retryAfterMs: 0,
  delayMs: 0,
  ...changes,
});

const decisions = [call(100), call(200, { delayMs: 300 }), call(250, { allowed: false, retryAfterMs: 70 })];

test.each([
  [99, { inWindow: 0, last: undefined, queued: 0 }],
  [100, { inWindow: 1, last: decisions[0], queued: 0 }],
  // The second call waits until 500. The third call is refused and not counted.
  [260, { inWindow: 2, last: decisions[2], queued: 1 }],
  // (-..., 1 100] begins after 100.
  [1_100, { inWindow: 1, last: decisions[2], queued: 0 }],
])('at %i ms', (at, moment) => {
  expect(getInstantState({ decisions, windowMs: 1_000 }, at)).toEqual(moment);
});
