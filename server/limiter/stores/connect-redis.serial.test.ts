import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listenOnFreePort } from '../../../scripts/lib/ports.mjs';
import { isFull } from '../../../test/property';
import { freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { type RedisCluster, startRedisCluster } from '../../../test/services/redis-cluster';
import { startSentinelRedis } from '../../../test/services/redis-sentinel';
import { parseSentinelUrl } from '../../store-urls';
import { createLimiter, definePolicy } from '../index';
import { connectRedis as connectIoredis } from './connect-ioredis';
import { connectRedis as connectNodeRedis } from './connect-node-redis';
import type { Store } from './store';

/** A lost store is used again within this time. */
const LOST_MS = 10_000;

const greeting = definePolicy({
  name: 'greet',
  levels: [{ level: 'user', limit: 1_000, windowMs: 600_000 }],
  onStoreError: 'open',
});

const clients = [
  { client: 'ioredis', connectRedis: connectIoredis },
  { client: 'node-redis', connectRedis: connectNodeRedis },
];

/** Returns a function that calls for subjects of all shards, and returns true if the store decided all. */
function decideOn(store: Store, onEnd: typeof onTestFinished = onTestFinished): () => Promise<boolean> {
  const limiter = createLimiter({
    store,
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
    onWarning: () => undefined,
  });
  onEnd(() => limiter.close());
  return async function isDecided() {
    const calls = Array.from({ length: 60 }, (_, user) => limiter.check(greeting, { user: `user-${user}` }));
    return (await Promise.all(calls)).every((decision) => decision.allowed && !decision.degraded);
  };
}

const isAgain = (isDecided: () => Promise<boolean>) =>
  vi.waitUntil(isDecided, { timeout: LOST_MS, interval: 50 });

describe.concurrent.each(clients)('$client', ({ connectRedis }) => {
  test('a connection that dies while it is made is replaced within 10 s', async ({
    onTestFinished: onEnd,
  }) => {
    const redis = await startRedis();
    onEnd(() => redis.stop());
    let connections = 0;
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      connections += 1;
      if (connections === 1) return;
      const upstream = connect(redis.port, '127.0.0.1');
      upstream.on('error', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    const port = await listenOnFreePort(server);
    onEnd(() => void server.close());
    const isDecided = decideOn(connectRedis(`redis://127.0.0.1:${port}`), onEnd);
    expect(await isDecided()).toBe(false);
    await isAgain(isDecided);
  });
});

// Failovers take half a minute.
if (isFull) {
  describe.each(clients)('$client on a cluster', ({ connectRedis }) => {
    let cluster: RedisCluster;
    beforeAll(async () => {
      cluster = await startRedisCluster();
    });
    afterAll(() => cluster?.stop());

    test('the replica of a lost master is used within 10 s after it was promoted', async () => {
      const isDecided = decideOn(connectRedis(cluster.url.split(',')));
      await isAgain(isDecided);
      await (await cluster.masterOf(0)).kill();
      expect(await isDecided()).toBe(false);
      await cluster.waitUntilSettled();
      await isAgain(isDecided);
    });

    test('a cluster that starts after the process is used within 10 s', async () => {
      const url = cluster.url.split(',');
      await Promise.all(cluster.nodes.map((node) => node.kill()));
      const isDecided = decideOn(connectRedis(url));
      expect(await isDecided()).toBe(false);
      await Promise.all(cluster.nodes.map((node) => node.start()));
      await cluster.waitUntilSettled();
      await isAgain(isDecided);
    });
  });

  test('the primary that Sentinels name is used within 10 s after a failover', async () => {
    const redis = await startSentinelRedis();
    onTestFinished(() => redis.stop());
    const { sentinels, name } = parseSentinelUrl(redis.url) ?? { sentinels: [], name: '' };
    const isDecided = decideOn(connectIoredis({ sentinels, name }));
    await isAgain(isDecided);
    const before = await redis.primaryPort();
    await redis.killPrimary();
    expect(await isDecided()).toBe(false);
    await vi.waitUntil(async () => (await redis.primaryPort()) !== before, { timeout: 30_000, interval: 50 });
    await isAgain(isDecided);
  });
}
