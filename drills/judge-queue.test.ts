import { describe, expect, test } from 'vitest';
import { judgeQueue, listOverfull, type QueueEvidence } from './judge-queue';
import { createLimitPeriods } from './limit-periods';
import type { SeenTicket } from './ticket-record';

/** A ticket that joined at 100 and was served at 1,100, in the place of the hit at 50. */
const ticket: SeenTicket = {
  ticketId: 'one',
  userId: 'shopper',
  requestId: 'request',
  joinedAt: 100,
  promisedAt: 1_100,
  bound: { turnAt: 1_100, readAt: 200 },
  state: 'served',
  servedAt: new Set([1_100]),
  hasBought: true,
};

const evidence: QueueEvidence = {
  tickets: [ticket],
  unexplained: 0,
  hits: [
    [50, 1],
    [1_100, 1],
  ],
  window: { limit: 1, windowMs: 1_000 },
  delays: [],
  cutAt: undefined,
  losesTickets: false,
  maxFreeMs: 100,
  inRedis: { served: 1, tickets: 1, requestIds: 2 },
  orders: new Map([['request', 1]]),
};

const problemsOf = (changes: Partial<QueueEvidence>) => judgeQueue({ ...evidence, ...changes }).problems;

test('a queue that keeps its guarantees has no problem', () => {
  expect(problemsOf({})).toEqual([]);
});

describe('a broken guarantee is a problem', () => {
  const servedTwice = { ...ticket, servedAt: new Set([1_100, 1_200]) };
  const late = { ...ticket, servedAt: new Set([1_601]) };
  test.each<{ name: string; changes: Partial<QueueEvidence>; problem: RegExp }>([
    {
      name: 'a ticket was served at two instants',
      changes: { tickets: [servedTwice] },
      problem: /1100 and 1200/,
    },
    {
      name: 'Redis charged a ticket twice',
      changes: { inRedis: { served: 2, tickets: 1, requestIds: 2 } },
      problem: /1 tickets were served 2 times/,
    },
    {
      name: 'a request id was charged twice',
      changes: { inRedis: { served: 1, tickets: 1, requestIds: 1 } },
      problem: /2 charges of 1/,
    },
    { name: 'a request has two orders', changes: { orders: new Map([['request', 2]]) }, problem: /2 orders/ },
    { name: 'a purchase has no order', changes: { orders: new Map() }, problem: /not in Postgres/ },
    {
      name: 'a ticket was lost',
      changes: { tickets: [ticket, { ...ticket, state: 'void', servedAt: new Set(), reason: 'lost' }] },
      problem: /1 tickets were lost/,
    },
    { name: 'a later bound has no reason', changes: { unexplained: 3 }, problem: /3 later bounds/ },
    {
      name: 'a turn is more than 500 ms after its bound',
      changes: { tickets: [late] },
      problem: /1 turns were late .* at 1601 instead of 1100/,
    },
    { name: 'a place was free for too long', changes: { maxFreeMs: 49 }, problem: /free for 50 ms/ },
  ])('$name', ({ changes, problem }) => {
    expect(problemsOf(changes)).toEqual([expect.stringMatching(problem)]);
  });
});

test('a turn may be late if a fault happened after its bound was read', () => {
  const tickets = [{ ...ticket, servedAt: new Set([1_601]) }];
  expect(problemsOf({ tickets, delays: [{ from: 300, until: 400 }] })).toEqual([]);
  expect(problemsOf({ tickets, delays: [{ from: 100, until: 150 }] })).toHaveLength(1);
});

test('tickets may be lost with the data of Redis', () => {
  const lost: SeenTicket = { ...ticket, state: 'void', servedAt: new Set(), reason: 'lost' };
  expect(problemsOf({ tickets: [ticket, lost], losesTickets: true, cutAt: 500 })).toEqual([]);
});

test('the limit of a window is the effective one at its end, and either one during a change', async () => {
  const limits = createLimitPeriods(100);
  const start = Date.now();
  await limits.change(50, async () => {
    expect(limits.limitAt(Date.now())).toBe(100);
  });
  expect(limits.limitAt(start - 1)).toBe(100);
  const after = Date.now() + 1;
  expect(limits.limitAt(after)).toBe(50);
  expect(
    listOverfull(
      [
        { at: after, count: 51 },
        { at: start - 1, count: 100 },
      ],
      limits.limitAt,
    ),
  ).toEqual([{ at: after, count: 51, limit: 50 }]);
});
