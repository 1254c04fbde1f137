import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limiterStores, type OpenStore } from '../../test/limiter-stores';
import { propertyRuns } from '../../test/property';
import { createQueueOracle } from '../../test/queue-oracle';
import { freshPrefix } from '../../test/redis';
import { createLimiter } from './limiter';
import { resolvePolicy } from './policy';
import { decodeServe } from './queue-codec';
import { createQueues } from './queues';

const START = 1_795_226_301_987;
const WINDOW_MS = 1_000;
const owners = fc.constantFrom('ada', 'bob', 'cem', 'dan', 'eve', 'fay', 'gil', 'hal');

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('call' as const) }),
    fc.record({ kind: fc.constant('join' as const), owner: owners }),
    fc.record({ kind: fc.constant('join' as const), owner: owners }),
    fc.record({ kind: fc.constant('leave' as const), owner: owners }),
    fc.record({ kind: fc.constant('limit' as const), limit: fc.integer({ min: 1, max: 4 }) }),
    fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: 1_500 }),
      node: fc.constantFrom('one', 'other'),
    }),
  ),
  { maxLength: 60 },
);

const serveScript = {
  command: 'testQueueServe',
  file: 'limiter/queue-serve.lua',
  numberOfKeys: 'variable',
} as const;

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
        secret: 'test',
        prefix,
        clock: () => now,
        cacheDenials: false,
        timeoutMs: 5_000,
      });
      const policy = resolvePolicy<unknown>(
        {
          levels: [
            { level: 'user', limit: 1_000, windowMs: 60_000 },
            { level: 'global', limit, windowMs: WINDOW_MS, queue: { maxLength: 100, maxWaitMs: 600_000 } },
          ],
          requestId: () => 'id',
          message: { en: 'Too many.' },
        },
        'sale',
      );
      const queue = limiter.queue(policy);
      const oracle = createQueueOracle({ limit, windowMs: WINDOW_MS });
      const tickets = new Map<string, string>();
      const parts = ['', ':groups', ':tickets', ':served', ':ended-0', ':ended-1', ':state'];
      const keys = [`${prefix}{sale}:global:all`, ...parts.map((part) => `${prefix}{sale}:queue${part}`)];
      let open: string[] = [];

      /** Serves at this instant, and ends the turns of the last call. */
      async function serve(node: string): Promise<void> {
        const args = [now, limit, WINDOW_MS, 1, node, 1, 100, 1_000, 0, 0, ...open];
        const { turns } = decodeServe(await store.run(serveScript, [...keys, `${prefix}{sale}#`], args));
        const served = oracle.serve(now);
        expect(turns.map(({ payload }) => payload)).toEqual(served.map(({ owner }) => owner));
        expect(turns.map(({ promisedAt }) => promisedAt)).toEqual(served.map(({ promisedAt }) => promisedAt));
        for (const { promisedAt } of turns) if (!lowered) expect(now).toBeLessThanOrEqual(promisedAt);
        open = turns.flatMap(({ id, sequence }) => [id, sequence, 'served', 'accepted']);
      }

      for (const step of list) {
        calls += 1;
        const requestId = `request-${calls}`;
        if (step.kind === 'call') {
          const decision = await limiter.decide(policy, { subjects: { user: 'direct' }, requestId });
          expect(decision.allowed).toBe(oracle.call(now));
        } else if (step.kind === 'join') {
          const { owner } = step;
          // A turn that has not ended keeps its owner from a new ticket.
          while (open.length > 0) await serve('one');
          const joined = await queue.join({
            subjects: { user: owner },
            requestId,
            group: 'tea',
            payload: owner,
          });
          const ticket = joined.queued && joined.ticket.state === 'waiting' ? joined.ticket : undefined;
          expect(ticket && { position: ticket.position, turnAt: ticket.turnAt }).toEqual(
            oracle.join(owner, now),
          );
          if (ticket) tickets.set(owner, ticket.ticketId);
        } else if (step.kind === 'leave') {
          const ticketId = tickets.get(step.owner) ?? '';
          expect(await queue.leave({ subjects: { user: step.owner }, ticketId })).toBe(
            oracle.leave(step.owner),
          );
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
      expect((await queue.state()).waiting).toBe(oracle.waiting().length);
    });
    await fc.assert(property, propertyRuns(2 * cases, { short }));
  }, 3_600_000);
});
