import { expect, test } from 'vitest';
import { isCausedByOutage, type PurchaseResult } from './use-purchase';

test.each<[string, PurchaseResult, boolean]>([
  ['no click', { kind: 'none' }, false],
  ['a lost answer', { kind: 'problem', problem: { kind: 'lost' } }, true],
  ['an unavailable store', { kind: 'problem', problem: { kind: 'unavailable' } }, true],
  ['a paused sale', { kind: 'reply', reply: { outcome: 'paused' } }, true],
  ['a sold-out sale', { kind: 'reply', reply: { outcome: 'sold-out' } }, false],
  ['a call that the server rejected', { kind: 'problem', problem: { kind: 'missing' } }, false],
])('the end of an outage removes its results only: %s', (_, result, isCaused) => {
  expect(isCausedByOutage(result)).toBe(isCaused);
});
