import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { createSimulation } from '../../lab/simulation';
import type { RedisClient } from '../../redis/client';
import { createLimiter } from '../limiter';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';
import { memoryStore } from '../stores/memory-store';
import type { Store } from '../stores/store';
import { createQueues } from './queues';

const START = 1_795_226_301_987;
const GROUPS = ['tea', 'cake'];
/** More than any run takes. */
const END_MS = 3_600_000;

interface Sale {
  limit: number;
  windowMs: number;
  /** A direct call is sent this often while the run lasts. */
  directEveryMs: number;
  steps: readonly {
    at: number;
    kind: 'join' | 'leave' | 'raise';
    user: number;
    node: number;
    group: number;
  }[];
}

const someSale: fc.Arbitrary<Sale> = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(150)),
  windowMs: fc.integer({ min: 60, max: 2_000 }),
  directEveryMs: fc.integer({ min: 7, max: 130 }),
  steps: fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 3_000 }),
      kind: fc.constantFrom('join', 'join', 'join', 'join', 'join', 'join', 'leave', 'raise'),
      user: fc.nat(20),
      node: fc.nat(1),
      group: fc.nat(1),
    }),
    { minLength: 5, maxLength: 60, size: 'max' },
  ),
});

/**
 * Serves a sale by two nodes in virtual time, with direct calls all the time. Returns how late each ticket was served after
 * the earliest turn that a call returned, also by a later read. Longer than 50 lines because the events share the sale.
 */
async function playSale(store: Store, { limit, windowMs, directEveryMs, steps }: Sale): Promise<number[]> {
  const simulation = createSimulation();
  const prefix = freshPrefix();
  const policy = resolvePolicy<unknown>(
    {
      levels: [
        { level: 'user', limit: 10_000, windowMs: 1_000 },
        { level: 'global', limit, windowMs, queue: { maxLength: 1_000, maxWaitMs: 86_400_000 } },
      ],
      requestId: () => 'id',
      message: { en: 'Too many.' },
    },
    'sale',
  );
  const bounds = new Map<string, number>();
  const lateMs: number[] = [];
  const errors: unknown[] = [];
  const nodes = [0, 1].map(() => {
    const limiter = createLimiter({
      ...{
        store,
        prefix,
        secret: 'a secret of at least 32 characters',
        queues: createQueues,
        timeoutMs: 5_000,
      },
      clock: () => START + Math.floor(simulation.timers.now()),
    });
    const queue = limiter.queue(policy);
    const server = queue.serve({
      timers: simulation.timers,
      onTurn: async () => ({ outcome: 'served' }),
      onError: (error) => errors.push(error),
      onServed(turns) {
        for (const { ticketId, servedAt } of turns)
          lateMs.push(servedAt - (bounds.get(ticketId) ?? Infinity));
      },
    });
    return { limiter, queue, server };
  });
  let raised = limit;
  let left = steps.length;
  let calls = 0;

  async function readTickets(user: string): Promise<{ ticketId: string }[]> {
    const reading = nodes.map(({ queue }) => queue.mine({ subjects: { user }, groups: GROUPS }));
    const tickets = (await Promise.all(reading)).flatMap((read) => read.tickets);
    const waiting = tickets.filter((ticket) => ticket.state === 'waiting');
    for (const { ticketId, turnAt } of waiting)
      bounds.set(ticketId, Math.min(bounds.get(ticketId) ?? Infinity, turnAt));
    return waiting;
  }

  async function take({ kind, user: number, node, group }: Sale['steps'][number]): Promise<void> {
    const user = `user-${number}`;
    const { queue } = nodes[node] ?? {};
    const requestId = `${user}-${GROUPS[group]}`;
    if (kind === 'join')
      await queue?.join({ subjects: { user }, requestId, group: GROUPS[group] ?? '', payload: user });
    if (kind === 'leave') {
      const [ticket] = await readTickets(user);
      if (ticket) await queue?.leave({ subjects: { user }, ticketId: ticket.ticketId });
    }
    if (kind === 'raise') {
      raised += 1;
      const override = { policy: 'sale', level: 'global', limit: raised, version: raised };
      for (const { limiter } of nodes) limiter.setOverrides([override]);
    }
    await readTickets(user);
    left -= 1;
  }

  async function callDirectly(): Promise<void> {
    calls += 1;
    await nodes[calls % 2]?.limiter.decide(policy, { subjects: { user: 'direct' }, requestId: `${calls}` });
    simulation.at(simulation.timers.now() + directEveryMs, callDirectly);
  }
  simulation.at(0, callDirectly);
  for (const step of steps) simulation.at(step.at, () => take(step));
  let now = 0;
  let joinedAt = 0;
  // A node calls at least every half second, so it has seen the last ticket.
  const isServed = () => now > joinedAt + 1_000 && nodes.every(({ server }) => server.waiting() === 0);
  await simulation.run({
    isDone: () => now > END_MS || (left === 0 && isServed()),
    onTime: (time) => {
      if (left > 0) joinedAt = time;
      now = time;
    },
    signal: new AbortController().signal,
  });
  await Promise.all(nodes.map(({ server }) => server.stop()));
  expect(errors).toEqual([]);
  const [first] = nodes;
  expect(await first?.queue.state()).toMatchObject({ waiting: 0 });
  return lateMs;
}

/** Returns steps in which that many users join at one instant. */
const joinTogether = (at: number, count: number): Sale['steps'] =>
  Array.from({ length: count }, (_, user) => ({ at, kind: 'join', user, node: user % 2, group: user % 2 }));

const fullSales: (Sale & { name: string })[] = [
  {
    name: '100 per 10 s, filled by direct calls',
    ...{ limit: 100, windowMs: 10_000, directEveryMs: 97, steps: joinTogether(10_000, 700) },
  },
  {
    name: '250 places that free at one instant',
    ...{ limit: 250, windowMs: 1_000, directEveryMs: 130, steps: joinTogether(0, 900) },
  },
];

let redis: RedisClient;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());

// The turns are computed by the script and by the store in memory; the client makes no difference.
describe.each([
  { name: 'Redis', open: async () => ioredisStore(redis) },
  { name: 'memory', open: async () => memoryStore() },
])('on $name', ({ open }) => {
  test('in virtual time no ticket is served after a turn that a call returned, also with direct calls', async () => {
    const property = fc.asyncProperty(someSale, async (sale) => {
      const lateMs = await playSale(await open(), sale);
      expect(Math.max(0, ...lateMs)).toBe(0);
    });
    await fc.assert(property, propertyRuns(500, { short: 8 }));
  }, 3_600_000);

  test.each(fullSales)(
    'in virtual time $name are served by their turns',
    async (sale) => {
      const lateMs = await playSale(await open(), sale);
      expect(lateMs.length).toBeGreaterThan(500);
      expect(Math.max(...lateMs)).toBeLessThanOrEqual(0);
    },
    120_000,
  );
});
