import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openConnection, startHttpServer } from '../../test/http-server';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { startEmptyRedis } from '../../test/services/empty-redis';
import { redisUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import { createLimiter } from '../limiter/index';
import { ioredisStore } from '../limiter/stores';
import type { RedisClient } from '../redis/client';
import { createLiveRoute } from './live-route';
import { createStreamLimit } from './stream-limit';

let redis: RedisClient;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());

/** Starts a node whose streams stay open, and returns the function that opens one. */
async function startNode({ prefix, maxPerAddress = 2, client = redis }: NodeOptions) {
  const limiter = createLimiter({
    store: ioredisStore(client),
    secret: 'a secret of at least 32 characters',
    prefix,
  });
  const limit = createStreamLimit({ limiter, clientAddress: () => '203.0.113.9', maxPerAddress });
  const hub = {
    add: (viewer: { write(chunk: Buffer): unknown }) => viewer.write(Buffer.from(':\n\n')),
    close: () => undefined,
  };
  const liveRoute = createLiveRoute({ hub, limit });
  const { origin, port } = await startHttpServer((req, res) => {
    if (req.url !== '/slow') return liveRoute(req, res);
  });
  async function openStream() {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const { status, headers } = await fetch(origin, { signal: abort.signal });
    return { status, headers, close: () => abort.abort() };
  }
  return Object.assign(openStream, { port });
}

interface NodeOptions {
  prefix: string;
  maxPerAddress?: number;
  client?: RedisClient;
}

test('the streams of an address are limited on all nodes together, and one that ends frees its slot', async () => {
  const prefix = freshPrefix();
  const [openOnOne, openOnOther] = [await startNode({ prefix }), await startNode({ prefix })];
  const first = await openOnOne();
  expect(first.headers.get('ratelimit-policy')).toBe('"api.live:ip";q=2;qu="concurrent-requests"');
  expect((await openOnOther()).status).toBe(200);
  const refused = await openOnOther();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
  first.close();
  await waitUntil(async () => (await openOnOther()).status === 200);
  expect((await openOnOne()).status).toBe(429);
});

test('streams that wait behind another request of their connection free their slots with it', async () => {
  const prefix = freshPrefix();
  const [openOnOne, openOnOther] = [await startNode({ prefix }), await startNode({ prefix })];
  const { socket } = await openConnection(openOnOne.port);
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  socket.write(get('/slow') + get('/').repeat(2));
  await waitUntil(async () => (await openOnOther()).status === 429);
  socket.destroy();
  await waitUntil(async () => (await openOnOther()).status === 200);
  await waitUntil(async () => (await openOnOne()).status === 200);
});

test('above 1,000 streams, no lease is taken: each node counts its own', async () => {
  const prefix = freshPrefix();
  const openStream = await startNode({ prefix, maxPerAddress: 1_001 });
  expect((await openStream()).status).toBe(200);
  expect(await redis.keys(`${prefix}*`)).toEqual([]);
});

test('without the store, streams open and stay open, and this node limits its own', async () => {
  const store = await startEmptyRedis();
  const client = await connectTestRedis(store.url);
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  const openStream = await startNode({ prefix: freshPrefix(), client });
  const first = await openStream();
  await store.stop();
  const second = await openStream();
  expect(second.status).toBe(200);
  expect(second.headers.get('floodgate-degraded')).toBe('1');
  expect((await openStream()).status).toBe(429);
  first.close();
  await waitUntil(async () => (await openStream()).status === 200);
});
