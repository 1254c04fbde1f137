import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { eventually } from '../../../test/until';
import type { RedisClient } from '../../redis/client';
import { createLimiter } from '../limiter';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';
import { StoreUnavailableError } from '../stores/store-error';
import type { Turn } from '../stores/ticket';
import type { Queue } from './queue';
import { createQueues } from './queues';

/** Starts a Redis of the test, with a client for its settings and one for a limiter. */
async function startStore() {
  const store = await startRedis();
  const [admin, redis] = await Promise.all([connectTestRedis(store.url), connectTestRedis(store.url)]);
  onTestFinished(async () => {
    for (const client of [admin, redis]) client.disconnect();
    await store.stop();
  });
  return { ...store, admin, redis };
}

/** Opens a queue of one place, which a caller has just taken. */
async function openQueue(redis: RedisClient, { windowMs }: { windowMs: number }): Promise<Queue> {
  const limiter = createLimiter({
    ...{
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix: freshPrefix(),
      queues: createQueues,
    },
    timeoutMs: 5_000,
  });
  const policy = resolvePolicy<unknown>(
    {
      levels: [
        { level: 'user', limit: 3, windowMs: 60_000 },
        { level: 'global', limit: 1, windowMs, queue: { maxLength: 10_000, maxWaitMs: 86_400_000 } },
      ],
      requestId: () => 'id',
      message: { en: 'Many shoppers are here.' },
    },
    'sale',
  );
  expect(await limiter.decide(policy, callOf('first'))).toMatchObject({ allowed: true });
  return limiter.queue(policy);
}

const callOf = (user: string) => ({ subjects: { user }, requestId: user });
const join = (queue: Queue, user: string) => queue.join({ ...callOf(user), group: 'tea', payload: user });

test('READONLY: a queue is served once after a failover, and no ticket is lost', async () => {
  const [primary, replica] = await Promise.all([startStore(), startStore()]);
  for (const { admin } of [primary, replica]) await admin.config('SET', 'repl-diskless-sync-delay', '0');
  const queue = await openQueue(primary.redis, { windowMs: 3_000 });
  for (const user of ['ada', 'bob']) expect(await join(queue, user)).toMatchObject({ queued: true });
  const errors: unknown[] = [];
  const turns: Turn[] = [];
  const server = queue.serve({
    async onTurn(turn) {
      turns.push(turn);
      return { outcome: 'accepted' };
    },
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => server.stop());

  // The replica becomes the primary, and the former primary a replica of it.
  await replica.admin.replicaof('127.0.0.1', primary.port);
  await eventually(
    async () => (await replica.admin.info('replication')).includes('master_link_status:up'),
    'the replica has the data',
  );
  await replica.admin.replicaof('NO', 'ONE');
  await primary.admin.replicaof('127.0.0.1', replica.port);
  await eventually(() => errors.some((error) => String(causeOf(error)).includes('READONLY')), 'READONLY');
  expect(errors.every((error) => error instanceof StoreUnavailableError)).toBe(true);

  await primary.admin.replicaof('NO', 'ONE');
  await eventually(() => turns.length >= 2, 'the second turn');
  await eventually(async () => (await readUnfinished(queue)) === 0, 'all turns have ended');
  expect(turns.map(({ payload }) => payload)).toEqual(['ada', 'bob']);
  const { tickets } = await queue.mine({ subjects: { user: 'bob' }, groups: ['tea'] });
  expect(tickets).toMatchObject([{ state: 'served', outcome: 'accepted' }]);
  await server.stop();
}, 60_000);

/** Returns the number of unfinished turns; `undefined` while the client connects again. */
async function readUnfinished(queue: Queue): Promise<number | undefined> {
  try {
    return (await queue.state()).unfinished;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

const WAITING = 5_000;
/** A call ends 200 tickets. It blocks Redis for 2 to 3 ms; the rest is for a busy machine. */
const MAX_CALL_MS = 10;

test('a void of 5,000 tickets ends all, and no call blocks Redis for long', async () => {
  const { redis, admin } = await startStore();
  const queue = await openQueue(redis, { windowMs: 10_000 });
  const users = Array.from({ length: WAITING }, (_, index) => `shopper-${index}`);
  await Promise.all(users.map((user) => join(queue, user)));
  expect(await queue.state()).toMatchObject({ waiting: WAITING });

  await admin.config('SET', 'slowlog-max-len', '1000');
  await admin.config('SET', 'slowlog-log-slower-than', '0');
  await admin.slowlog('RESET');
  const startedAt = performance.now();
  expect(await queue.voidGroup('tea', 'sold-out')).toBe(WAITING);
  const totalMs = performance.now() - startedAt;
  const callMs = await readScriptMs(admin);

  expect(await queue.state()).toMatchObject({ waiting: 0, nextTurnAt: null });
  for (const user of [users.at(0), users.at(2_500), users.at(-1)]) {
    const { tickets } = await queue.mine({ subjects: { user: user ?? '' }, groups: ['tea'] });
    expect(tickets).toMatchObject([{ state: 'void', reason: 'sold-out' }]);
  }
  expect(callMs[Math.floor(callMs.length / 2)], 'one call').toBeLessThan(MAX_CALL_MS);
  expect(totalMs, 'all calls').toBeLessThan(1_000);
}, 60_000);

/** Returns the durations of the script calls in the slow log in ms, shortest first. */
async function readScriptMs(admin: RedisClient): Promise<number[]> {
  const entries = (await admin.slowlog('GET', 1_000)) as [number, number, number, string[]][];
  return entries
    .filter(([, , , [command = '']]) => /^(EVAL|FCALL)/i.test(command))
    .map(([, , micros]) => micros / 1_000)
    .toSorted((one, other) => one - other);
}
