import { expect, test } from 'vitest';
import type { Ticket } from '../_trpc/types';
import { endReasonOf, isWaiting, listShownTickets, nextReadAt } from './tickets';

const base = { couponId: 'tea', requestId: 'r', joinedAt: 1_000 };
const waiting: Ticket = {
  ...base,
  ...{ ticketId: 'a', state: 'waiting', position: 2, ahead: 1, turnAt: 20_000 },
};
const gone: Ticket = { ...base, ticketId: 'b', state: 'void', reason: 'sold-out' };

test('a ticket waits until its turn has an outcome', () => {
  const served: Ticket = { ...base, ticketId: 'c', state: 'served', servedAt: 5_000 };
  expect([waiting, gone, served].map(isWaiting)).toEqual([true, false, true]);
  expect(isWaiting({ ...served, outcome: { outcome: 'paused' } })).toBe(false);
});

test('an ended ticket is shown only to a page that saw it wait, and the newest of a coupon', () => {
  expect(listShownTickets([gone, waiting], new Map())).toEqual([waiting]);
  expect(listShownTickets([gone], new Map())).toEqual([]);
  expect(listShownTickets([gone], new Map([['b', gone]]))).toEqual([gone]);
  const later = { ...gone, ticketId: 'd', joinedAt: 2_000 };
  expect(listShownTickets([later, waiting], new Map([['d', later]]))).toEqual([later]);
});

test('a ticket that the server no longer lists is lost, unless it had ended', () => {
  const lost = { ...base, ticketId: 'a', state: 'void', reason: 'lost' };
  expect(listShownTickets([], new Map([['a', waiting]]))).toEqual([lost]);
  expect(listShownTickets([], new Map([['b', gone]])), 'an hour after its end').toEqual([gone]);
});

test('tickets are read at the turn, after a move of the queue, and never twice within 5 s', () => {
  const read = { readAt: 10_000, moves: 0, now: 11_000, overIds: [] };
  expect(nextReadAt([waiting], read)).toBe(20_000);
  expect(nextReadAt([waiting], { ...read, moves: 2 })).toBe(15_000);
  expect(nextReadAt([waiting], { ...read, moves: 2, now: 16_000 })).toBe(16_000);
  expect(nextReadAt([{ ...waiting, turnAt: 12_000 }], read)).toBe(15_000);
  expect(nextReadAt([waiting], { ...read, moves: -7 }), 'an emptied store').toBe(11_000);
  expect(nextReadAt([gone], read)).toBeUndefined();
});

test('tickets of a coupon that is sold out, ended or closed are read as soon as the queue moves', () => {
  const read = { readAt: 10_000, moves: 0, now: 11_000, overIds: ['tea'] };
  expect(nextReadAt([waiting], read)).toBe(20_000);
  expect(nextReadAt([waiting], { ...read, moves: 1 })).toBe(11_000);
  expect(nextReadAt([waiting], { ...read, moves: 1, now: 10_200 }), 'once a second').toBe(11_000);
  expect(nextReadAt([waiting], { ...read, moves: 1, overIds: ['rice'] }), 'another coupon').toBe(15_000);
});

const ended = { ticketId: 'a', couponId: 'tea', requestId: 'r', joinedAt: 1_000 };

test.each([
  ['sold-out', 'sold-out'],
  ['ended', 'ended'],
  ['closed', 'closed'],
  ['banned', 'banned'],
  ['lost', 'lost'],
  ['of a newer server', 'lost'],
  ['left', undefined],
])('a void ticket with reason %s has ended as %s', (reason, expected) => {
  expect(endReasonOf({ ...ended, state: 'void', reason })).toBe(expected);
});

test('a turn that found nothing left has ended; a waiting, running or successful one has not', () => {
  const served: Ticket = { ...ended, state: 'served', servedAt: 2_000 };
  expect(endReasonOf({ ...served, outcome: { outcome: 'sold-out' } })).toBe('sold-out');
  expect(endReasonOf({ ...served, outcome: { outcome: 'ended' } })).toBe('ended');
  expect(endReasonOf(served)).toBeUndefined();
  expect(endReasonOf({ ...served, outcome: { outcome: 'paused' } })).toBeUndefined();
  expect(endReasonOf({ ...ended, state: 'waiting', position: 1, ahead: 0, turnAt: 9_000 })).toBeUndefined();
});
