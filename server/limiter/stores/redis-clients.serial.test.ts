import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type RedisClientKind, redisClients } from '../../../test/limiter-clients';
import { connectTestRedis, flushScripts, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { type RedisCluster, startRedisCluster } from '../../../test/services/redis-cluster';
import { startRedisProxy } from '../../../test/services/redis-proxy';
import { createLimiter } from '../limiter';
import type { OnStoreError, Policy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import type { Store } from './store';
import { StoreUnavailableError } from './store-error';

/** The longest time that a call may take while Redis is down. */
const LONGEST_MS = 300;

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster?.stop());

describe.each(redisClients)('$client', ({ connect }) => {
  test('while Redis is dead, each policy answers in its mode within 300 ms, and decides again by itself', async () => {
    let redis = await startRedis();
    onTestFinished(() => redis.stop());
    const { store, close } = await connect(redis.url);
    onTestFinished(close);
    const decide = decideOn(store);
    expect(await decide('closed')).toMatchObject({ allowed: true, degraded: false });

    await redis.kill();
    const startedAt = performance.now();
    const answers = await Promise.allSettled([decide('closed'), decide('open'), decide('local')]);
    expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
    expect(answers).toMatchObject([
      { reason: expect.any(StoreUnavailableError) },
      { value: { allowed: true, degraded: true } },
      { value: { allowed: true, degraded: true } },
    ]);

    redis = await startRedis({ port: redis.port });
    await vi.waitUntil(async () => !(await decide('open')).degraded, { timeout: 10_000 });
  });

  test('on a cluster, the subjects of all masters get exactly their limit, also after its functions are lost', async () => {
    const { store, close } = await connect(cluster.url);
    onTestFinished(close);
    const policy = resolvePolicy(policyOf([{ level: 'user', limit: 2, windowMs: 60_000 }]), 'test');
    const limiter = createLimiter({
      store,
      secret: 'a secret of at least 32 characters',
      prefix: freshPrefix(),
    });
    const callAll = async () => {
      const calls = Array.from({ length: 90 }, (_, call) =>
        limiter.decide(policy, { subjects: { user: `user-${call % 30}` } }),
      );
      return (await Promise.all(calls)).filter(({ allowed }) => allowed).length;
    };
    expect(await callAll()).toBe(60);
    for (const { client } of cluster.nodes) await flushScripts(client);
    expect(await callAll()).toBe(0);
  });
});

// These mostly wait, so they run side by side.
describe.concurrent.each(redisClients)('$client', ({ connect }) => {
  test('a dead connection that stays open is replaced within 10 s', async ({ onTestFinished: onEnd }) => {
    const { proxy, decide } = await decideThroughProxy(connect, onEnd);
    proxy.freeze();
    await decidesAgain(decide);
  });

  test('a primary that became a replica is left within 10 s', async ({ onTestFinished: onEnd }) => {
    const { redis, proxy, decide } = await decideThroughProxy(connect, onEnd);
    const promoted = await startRedis();
    onEnd(() => promoted.stop());
    const admin = await connectTestRedis(redis.url);
    onEnd(() => admin.disconnect());
    await admin.replicaof('127.0.0.1', promoted.port);
    proxy.moveTo(promoted.url);
    await decidesAgain(decide);
  });
});

/** Decides calls on a Redis behind a proxy. */
async function decideThroughProxy(connect: RedisClientKind['connect'], onEnd: typeof onTestFinished) {
  const redis = await startRedis();
  onEnd(() => redis.stop());
  const proxy = await startRedisProxy(redis.url);
  onEnd(() => proxy.stop());
  const { store, close } = await connect(proxy.url);
  onEnd(close);
  const decide = decideOn(store);
  expect(await decide('closed')).toMatchObject({ allowed: true, degraded: false });
  return { redis, proxy, decide };
}

/** Expects that the calls of a busy server are lost, and decided again within 10 s. */
async function decidesAgain(decide: ReturnType<typeof decideOn>): Promise<void> {
  expect(await decide('open')).toMatchObject({ degraded: true });
  await vi.waitUntil(async () => !(await decide('open')).degraded, { timeout: 10_000, interval: 50 });
}

function policyOf(levels: Policy['levels']) {
  return { name: 'test', levels, message: { en: 'Too many.' } };
}

/** Decides calls of one policy on a store, in a mode. */
function decideOn(store: Store) {
  const limiter = createLimiter({
    store,
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
  });
  return (onStoreError: OnStoreError) => {
    const policy = { ...policyOf([{ level: 'global', limit: 9, windowMs: 60_000 }]), onStoreError };
    return limiter.decide(resolvePolicy({ ...policy, name: onStoreError }, 'test'), { subjects: {} });
  };
}
