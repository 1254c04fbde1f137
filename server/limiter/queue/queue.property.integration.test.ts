import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limiterStores, type OpenStore } from '../../../test/limiter-stores';
import { propertyRuns } from '../../../test/property';
import { createQueueOracle } from '../../../test/queue-oracle';
import { freshPrefix } from '../../../test/redis';
import { testKeys } from '../../../test/store-commands';
import { createLimiter } from '../limiter';
import { resolvePolicy } from '../policy/resolve-policy';
import type { EndedTurn } from '../stores/store';
import type { WaitingTicket } from '../stores/ticket';
import { type Joined, TooManyTicketsError } from './queue';
import { createQueues } from './queues';

const START = 1_795_226_301_987;
const WINDOW_MS = 1_000;
const owners = fc.constantFrom('ada', 'bob', 'cem', 'dan', 'eve', 'fay', 'gil', 'hal');
const groups = fc.constantFrom('tea', 'cake', 'rice');
const addresses = fc.constantFrom('here', 'here', 'there');
const bounds = { maxLength: 7, maxPerSubject: 2, mostOfAddress: 3 };

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('call' as const) }),
    {
      arbitrary: fc.record({
        kind: fc.constant('join' as const),
        ...{ owner: owners, group: groups, address: addresses },
      }),
      weight: 3,
    },
    fc.record({ kind: fc.constant('leave' as const), owner: owners, group: groups }),
    fc.record({ kind: fc.constant('limit' as const), limit: fc.integer({ min: 1, max: 4 }) }),
    fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: 1_500 }),
      node: fc.constantFrom('one', 'other'),
    }),
  ),
  { maxLength: 60 },
);

type Outcome = Joined | 'conflict';

/** Returns the waiting ticket of a call that joined. */
function toTicket(joined: Outcome): WaitingTicket | undefined {
  return joined !== 'conflict' && joined.queued && joined.ticket.state === 'waiting'
    ? joined.ticket
    : undefined;
}

function outcomeOf(joined: Outcome): 'admitted' | 'full' | 'conflict' | undefined {
  if (joined === 'conflict') return joined;
  if (joined.queued) return undefined;
  return joined.decision.allowed ? 'admitted' : 'full';
}

describe.each(limiterStores)('on $name', ({ open: openStore, cases, short }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await openStore();
  });
  afterAll(() => opened.close());

  test('random calls, joins, leaves, changed limits and takeovers are served as by the definition', async () => {
    const { store } = opened;
    const property = fc.asyncProperty(steps, async (list) => {
      const prefix = freshPrefix();
      let now = START;
      let limit = 2;
      let calls = 0;
      let lowered = false;
      const limiter = createLimiter({
        queues: createQueues,
        store,
        secret: 'a secret of at least 32 characters',
        prefix,
        clock: () => now,
        cacheDenials: false,
        timeoutMs: 5_000,
      });
      const policy = resolvePolicy<unknown>(
        {
          levels: [
            { level: 'user', limit: 1_000, windowMs: 60_000 },
            {
              ...{ level: 'global', limit, windowMs: WINDOW_MS },
              queue: {
                ...{ maxLength: bounds.maxLength, maxWaitMs: 600_000, maxPerSubject: bounds.maxPerSubject },
                share: { by: (context) => String(context), most: bounds.mostOfAddress },
              },
            },
          ],
          requestId: () => 'id',
          message: { en: 'Too many.' },
        },
        'sale',
      );
      const queue = limiter.queue(policy);
      const oracle = createQueueOracle({ limit, windowMs: WINDOW_MS, ...bounds });
      const tickets = new Map<string, string>();
      const keys = testKeys(`${prefix}{sale}`, () => `${prefix}{sale}:global:all`);
      const requestStart = `${prefix}{sale}#`;
      const serving = { keys, level: 1, windowMs: WINDOW_MS, isEnforced: true, leaseMs: 1, maxServed: 100 };
      const rest = { requestTtlMs: 1_000, requestStart, recovers: false, pausedGroups: [] };
      let open: EndedTurn[] = [];

      /** Serves at this instant, and ends the turns of the last call. */
      async function serve(node: string): Promise<void> {
        const command = { ...serving, ...rest, limit, node, ended: open };
        const { turns } = await store.queue.serve(command, now);
        const served = oracle.serve(now);
        expect(turns.map(({ payload }) => payload)).toEqual(served.map(({ owner }) => owner));
        expect(turns.map(({ promisedAt }) => promisedAt)).toEqual(served.map(({ promisedAt }) => promisedAt));
        for (const { promisedAt } of turns) if (!lowered) expect(now).toBeLessThanOrEqual(promisedAt);
        open = turns.map(({ id, sequence }) => ({ id, sequence, state: 'served', detail: 'accepted' }));
      }

      for (const step of list) {
        calls += 1;
        const requestId = `request-${calls}`;
        if (step.kind === 'call') {
          const decision = await limiter.decide(policy, { subjects: { user: 'direct' }, requestId });
          expect(decision.allowed).toBe(oracle.call(now));
        } else if (step.kind === 'join') {
          const { owner, group, address } = step;
          // A turn that has not ended keeps its owner from a new ticket.
          while (open.length > 0) await serve('one');
          const call = { subjects: { user: owner }, requestId, group, payload: owner, context: address };
          const joined = await queue.join(call).catch((error: unknown) => {
            if (!(error instanceof TooManyTicketsError)) throw error;
            return 'conflict' as const;
          });
          const ticket = toTicket(joined);
          expect(ticket ? { position: ticket.position, turnAt: ticket.turnAt } : outcomeOf(joined)).toEqual(
            oracle.join({ owner, group, address }, now),
          );
          if (ticket) tickets.set(`${owner} ${group}`, ticket.ticketId);
        } else if (step.kind === 'leave') {
          const ticketId = tickets.get(`${step.owner} ${step.group}`) ?? '';
          expect(await queue.leave({ subjects: { user: step.owner }, ticketId })).toBe(oracle.leave(step));
        } else if (step.kind === 'limit') {
          lowered ||= step.limit < limit;
          limit = step.limit;
          oracle.setLimit(limit);
          limiter.setOverrides([{ policy: 'sale', level: 'global', limit, version: calls }]);
        } else {
          const end = now + step.ms;
          for (let next = oracle.nextAt(now); next !== undefined && next <= end; next = oracle.nextAt(now)) {
            now = Math.max(next, now);
            await serve(step.node);
          }
          now = end;
        }
      }
      expect((await queue.state()).waiting).toBe(oracle.waiting());
    });
    await fc.assert(property, propertyRuns(2 * cases, { short }));
  }, 3_600_000);
});
