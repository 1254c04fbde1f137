import { expect, onTestFinished, test } from 'vitest';
import { describeStores } from '../../../test/limiter-stores';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { createSimulation } from '../../lab/simulation';
import { RequestIdConflictError } from '../decide/request-id';
import { createLimiter } from '../limiter';
import type { Policy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { MissingSubjectError } from '../policy/subject';
import { ioredisStore } from '../stores/ioredis-store';
import { memoryStore } from '../stores/memory-store';
import type { Store } from '../stores/store';
import { TooManyTicketsError } from './queue';
import { createQueues } from './queues';

const START = 1_795_226_301_987;
const WINDOW_MS = 10_000;
type QueueOptions = NonNullable<NonNullable<Policy<{ ip: unknown }>['levels'][number]['queue']>>;

/** Opens a queue of one place, which a caller has just taken. Two tickets a caller, and two an address, of at most five. */
async function openQueue(store: Store, options: Partial<QueueOptions> = {}) {
  const simulation = createSimulation();
  const now = () => START + Math.floor(simulation.timers.now());
  const prefix = freshPrefix();
  const limiter = createLimiter({
    ...{
      store,
      prefix,
      secret: 'a secret of at least 32 characters',
      queues: createQueues,
      timeoutMs: 5_000,
    },
    clock: now,
  });
  const share: QueueOptions['share'] = { by: ({ ip }) => ip as string, most: 2 };
  const queue = { maxLength: 5, maxWaitMs: 600_000, maxPerSubject: 2, share, ...options };
  const policy = resolvePolicy<{ ip: unknown }>(
    {
      levels: [
        { level: 'user', limit: 6, windowMs: 60_000 },
        { level: 'global', limit: 1, windowMs: WINDOW_MS, queue },
      ],
      requestId: () => 'id',
      message: { en: 'Many shoppers are here.' },
    },
    'sale',
  );
  await limiter.decide(policy, { subjects: { user: 'first' }, requestId: 'first' });
  const sale = limiter.queue(policy);
  return {
    ...{ limiter, queue: sale, simulation, now, prefix },
    join: (user: string, group: string, { ip = user as unknown, requestId = `${user} ${group}` } = {}) =>
      sale.join({ subjects: { user }, group, requestId, payload: user, context: { ip } }),
    async used(user: string) {
      const { windows } = await limiter.peek(policy, { user });
      return windows[0]?.used;
    },
    /** Serves from now on. Returns the instants of the turns by payload. */
    serve() {
      const served = new Map<string, number>();
      const server = sale.serve({
        timers: simulation.timers,
        onTurn: async () => ({ outcome: 'accepted' }),
        onServed(turns) {
          for (const { payload, servedAt } of turns) served.set(payload, servedAt - START);
        },
      });
      return { served, stop: server.stop };
    },
    async passUntil(ms: number) {
      let isOver = false;
      simulation.at(ms, async () => {
        isOver = true;
      });
      const { signal } = new AbortController();
      await simulation.run({ isDone: () => isOver, onTime: () => undefined, signal });
    },
  };
}

const waits = { queued: true, ticket: { state: 'waiting' } };
const isFull = { queued: false, decision: { allowed: false, refusedBy: { level: 'global' } } };

describeStores((current) => {
  test('a third join of a caller charges the own levels and is a conflict, until a ticket ends', async () => {
    const options = { maxLength: 10, share: undefined };
    const sale = await openQueue(current.store, options);
    const { queue, limiter, join, used, serve, passUntil } = sale;
    expect(await join('ada', 'tea')).toMatchObject(waits);
    const cake = await join('ada', 'cake');
    await expect(join('ada', 'rice')).rejects.toThrow(TooManyTicketsError);
    expect(await used('ada'), 'the own level').toBe(3);
    expect(await join('ada', 'cake'), 'a repeated call').toMatchObject(waits);
    expect(await used('ada')).toBe(3);
    expect(await join('bob', 'rice'), 'another caller').toMatchObject(waits);

    const ticketId = cake.queued ? cake.ticket.ticketId : '';
    expect(await queue.leave({ subjects: { user: 'ada' }, ticketId })).toBe(true);
    expect(await join('ada', 'rice'), 'after one has left').toMatchObject(waits);
    expect(await queue.voidSubject(limiter.pseudonymOf('ada'), 'banned')).toBe(2);

    for (const group of ['tea', 'cake']) await join('cem', group);
    await expect(join('cem', 'rice')).rejects.toThrow(TooManyTicketsError);
    expect(await queue.voidGroup('tea', 'sold-out')).toBe(1);
    expect(await join('cem', 'rice'), 'after one was voided').toMatchObject(waits);
    const { stop, served } = serve();
    await passUntil(3 * WINDOW_MS);
    await stop();
    expect([...served.keys()]).toEqual(['bob', 'cem']);
    expect(await join('cem', 'bun'), 'after one was served').toMatchObject(waits);
  });

  test('a request id that waits in another group is a conflict, and charges nothing', async () => {
    const { join, used } = await openQueue(current.store);
    await join('ada', 'tea', { requestId: 'one' });
    await expect(join('ada', 'cake', { requestId: 'one' })).rejects.toThrow(RequestIdConflictError);
    expect(await used('ada')).toBe(1);
    expect(await join('ada', 'tea', { requestId: 'one' })).toMatchObject(waits);
  });

  test('while more than half of the places are taken, a share with its most tickets gets no further one', async () => {
    const { queue, join, used } = await openQueue(current.store);
    const here = { ip: '192.0.2.1' };
    for (const user of ['ada', 'bob']) expect(await join(user, 'tea', here)).toMatchObject(waits);
    expect(await join('cem', 'tea', here), 'at most half was taken').toMatchObject(waits);
    // Three of five wait: one has to be served, 10 s after the first call.
    expect(await join('dan', 'tea', here)).toMatchObject({
      ...isFull,
      decision: { refusedBy: { level: 'global', retryAfterMs: WINDOW_MS + 50 } },
    });
    expect(await used('dan'), 'a refusal charges nothing').toBe(0);
    expect(await join('dan', 'tea', { ip: '192.0.2.2' }), 'elsewhere').toMatchObject(waits);
    expect(await queue.voidGroup('tea', 'closed')).toBe(4);
    for (const user of ['eve', 'fay', 'gil']) expect(await join(user, 'tea', here)).toMatchObject(waits);
  });

  test('a call without a share, or with one that cannot be counted, is an error; a number is its text', async () => {
    const { join } = await openQueue(current.store);
    for (const ip of [null, ''])
      await expect(join('ada', 'tea', { ip })).rejects.toThrow(MissingSubjectError);
    await expect(join('ada', 'tea', { ip: {} })).rejects.toThrow(
      /"sale" counts by "queue.share", which is an object/,
    );
    for (const [index, ip] of [5, '5', 5].entries()) await join(`number ${index}`, 'tea', { ip });
    expect(await join('ada', 'tea', { ip: '5' })).toMatchObject(isFull);
  });

  test('without these options, a caller has one ticket in each group, and calls need no share', async () => {
    const { queue, join } = await openQueue(current.store, { maxPerSubject: undefined, share: undefined });
    for (const group of ['tea', 'cake', 'rice']) expect(await join('ada', group)).toMatchObject(waits);
    expect(await queue.state()).toMatchObject({ waiting: 3 });
  });

  test('a raised limit is served within 20 ms on the node that receives it', async () => {
    const { limiter, join, serve, passUntil, simulation, now } = await openQueue(current.store);
    const { served, stop } = serve();
    for (const user of ['ada', 'bob']) await join(user, 'tea');
    let raisedAt = 0;
    // Between two calls of the serving node.
    simulation.at(1_030, async () => {
      raisedAt = now() - START;
      limiter.setOverrides([{ policy: 'sale', level: 'global', limit: 3, version: 1 }]);
    });
    await passUntil(2_000);
    await stop();
    expect([...served.keys()]).toEqual(['ada', 'bob']);
    for (const at of served.values()) expect(at - raisedAt).toBeLessThanOrEqual(20);
  });
});

test.each(['queue', 'queue:groups', 'queue:callers'])(
  'a lost index %s is written anew: tickets are voided, counted and served',
  async (lost) => {
    const redis = await connectTestRedis(await redisUrl());
    const { queue, join, serve, passUntil, prefix } = await openQueue(ioredisStore(redis));
    const loseIndex = () => redis.del(`${prefix}{sale}:${lost}`);
    try {
      for (const user of ['ada', 'bob']) await join(user, 'tea');
      await join('ada', 'cake');
      expect(await loseIndex()).toBe(1);
      expect(await queue.voidGroup('tea', 'sold-out')).toBe(2);
      const { tickets } = await queue.mine({ subjects: { user: 'bob' }, groups: ['tea'] });
      expect(tickets).toMatchObject([{ state: 'void', reason: 'sold-out' }]);

      await join('ada', 'rice');
      await loseIndex();
      await expect(join('ada', 'tea', { requestId: 'third' })).rejects.toThrow(TooManyTicketsError);
      await loseIndex();
      const { served, stop } = serve();
      await passUntil(3 * WINDOW_MS);
      await stop();
      expect([...served.keys()]).toEqual(['ada']);
      expect(await redis.exists(`${prefix}{sale}:queue:callers`), 'no count is left').toBe(0);
    } finally {
      await redis.quit();
    }
  },
);

test('every key of a queue expires after its first ticket', async () => {
  const redis = await connectTestRedis(await redisUrl());
  onTestFinished(() => redis.disconnect());
  const { join, prefix } = await openQueue(ioredisStore(redis));
  expect(await join('ada', 'tea')).toMatchObject(waits);
  const keys = await redis.keys(`${prefix}*queue*`);
  expect(keys).toContainEqual(expect.stringMatching(/queue:callers$/));
  for (const key of keys) expect(await redis.pttl(key), key).toBeGreaterThan(0);
});

test('a join without the context of its share is an error that names it', async () => {
  const { queue } = await openQueue(memoryStore());
  const joining = { subjects: { user: 'ada' }, group: 'tea', requestId: 'ada', payload: 'ada' };
  await expect(queue.join(joining)).rejects.toThrow('queue.join: context is undefined.');
});
