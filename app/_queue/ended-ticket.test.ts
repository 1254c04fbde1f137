import { expect, test } from 'vitest';
import type { Ticket } from '../_trpc/types';
import { endReasonOf } from './ended-ticket';

const base = { ticketId: 'a', couponId: 'tea', requestId: 'r', joinedAt: 1_000 };

test.each([
  ['sold-out', 'sold-out'],
  ['ended', 'ended'],
  ['closed', 'closed'],
  ['banned', 'banned'],
  ['lost', 'lost'],
  ['of a newer server', 'lost'],
  ['left', undefined],
])('a void ticket with reason %s has ended as %s', (reason, expected) => {
  expect(endReasonOf({ ...base, state: 'void', reason })).toBe(expected);
});

test('a turn that found nothing left has ended; a waiting, running or successful one has not', () => {
  const served: Ticket = { ...base, state: 'served', servedAt: 2_000 };
  expect(endReasonOf({ ...served, outcome: { outcome: 'sold-out' } })).toBe('sold-out');
  expect(endReasonOf({ ...served, outcome: { outcome: 'ended' } })).toBe('ended');
  expect(endReasonOf(served)).toBeUndefined();
  expect(endReasonOf({ ...served, outcome: { outcome: 'paused' } })).toBeUndefined();
  expect(endReasonOf({ ...base, state: 'waiting', position: 1, ahead: 0, turnAt: 9_000 })).toBeUndefined();
});
