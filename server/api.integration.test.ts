import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import { parseList } from 'structured-headers';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listenOnFreePort } from '../scripts/lib/ports.mjs';
import type { insertCoupon } from '../test/coupons';
import { freshDatabase, type TestDatabase } from '../test/database';
import { lockCoupon } from '../test/ledger-lock';
import {
  clientOf,
  fetchCall,
  openCoupon as openCouponOn,
  shopper,
  startTestNode,
  type TestNode,
  widenGlobalWindow,
} from '../test/node';
import { repeatUnavailable } from '../test/repeat-unavailable';
import { startEmptyRedis } from '../test/services/empty-redis';
import { startPostgres } from '../test/services/postgres';
import type { TestService } from '../test/services/test-service';
import { postgresUrl } from '../test/services/worker-services';
import { waitUntil } from '../test/wait-until';
import { limitOverrides } from './db/limit-schema';
import type { AppRouter } from './router';

let database: TestDatabase;
let redis: TestService;
let node: TestNode;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
});
afterAll(() => database.drop());

beforeEach(async () => {
  redis = await startEmptyRedis();
  node = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' });
  return async () => {
    await node.stop();
    await redis.stop();
  };
});

/** Returns the outcome of a call, or the code of its error. */
async function resultOf(call: Promise<{ outcome: string }>): Promise<string> {
  try {
    return (await call).outcome;
  } catch (error) {
    if (error instanceof TRPCClientError) return String(error.data?.code ?? error.message);
    throw error;
  }
}

function countOf(results: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const result of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

/** Inserts a coupon and waits until its gate is open. */
const openCoupon = (values?: Parameters<typeof insertCoupon>[1]) =>
  openCouponOn({ db: database.db, sale: node.sale }, values);

describe('coupon.seckill', () => {
  test('300 shoppers at once over two nodes that share a Redis: 100 are admitted', async () => {
    const other = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: database.url });
    onTestFinished(() => other.stop());
    onTestFinished(async () => void (await database.db.delete(limitOverrides)));
    await widenGlobalWindow([node, other]);
    const couponId = await openCoupon({ stock: 1_000 });
    const calls = Array.from({ length: 300 }, (_, n) => {
      const { coupon } = clientOf(n % 2 === 0 ? node : other, `shopper-${n}`);
      const input = { couponId, requestId: randomUUID() };
      return resultOf(repeatUnavailable(() => coupon.seckill.mutate(input)));
    });
    expect(countOf(await Promise.all(calls))).toEqual({ accepted: 100, TOO_MANY_REQUESTS: 200 });
  });

  test('ten calls of one shopper in a batch: five are admitted, and the sixth does not charge the global window', async () => {
    const couponId = await openCoupon();
    const batched = createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({
          url: `${node.url}/api/trpc`,
          maxItems: 10,
          headers: { cookie: node.sessions.createCookieHeader(shopper('ada')) },
        }),
      ],
    });
    const calls = Array.from({ length: 10 }, () => resultOf(batched.coupon.seckill.mutate({ couponId })));
    expect(countOf(await Promise.all(calls))).toEqual({
      accepted: 1,
      'already-bought': 4,
      TOO_MANY_REQUESTS: 5,
    });
    const { windows } = await node.readLive();
    expect(windows).toMatchObject([{ policy: 'coupon.seckill', level: 'global', used: 5, remaining: 95 }]);
  });

  test('the headers of a batch have the tightest item of each level, read by an independent parser', async () => {
    const couponId = await openCoupon();
    const answer = await fetch(`${node.url}/api/trpc/coupon.seckill,coupon.claim,coupon.seckill?batch=1`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: node.sessions.createCookieHeader(shopper('ada')),
      },
      body: JSON.stringify({ 0: { couponId }, 1: { couponId }, 2: { couponId } }),
    });
    const itemsOf = (name: string) =>
      parseList(answer.headers.get(name) ?? '').map(([item, parameters]) => [
        item,
        Object.fromEntries(parameters),
      ]);
    expect(itemsOf('ratelimit-policy')).toEqual([
      ['coupon.claim:user', { q: 3, w: 60 }],
      ['coupon.seckill:user', { q: 5, w: 10 }],
      ['coupon.seckill:global', { q: 100, w: 10 }],
    ]);
    expect(itemsOf('ratelimit')).toEqual([
      ['coupon.claim:user', { r: 2, t: 60 }],
      ['coupon.seckill:user', { r: 3, t: 10 }],
      ['coupon.seckill:global', { r: 98, t: 10 }],
    ]);
  });

  test('a refusal has its level, its limit and the retry time; an admitted call has both levels', async () => {
    const couponId = await openCoupon();
    const call = () =>
      fetch(`${node.url}/api/trpc/coupon.seckill`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          cookie: node.sessions.createCookieHeader(shopper('ada')),
          'accept-language': 'zh-CN',
        },
        body: JSON.stringify({ couponId }),
      });
    const admitted = await call();
    expect(admitted.headers.get('ratelimit-policy')).toBe(
      '"coupon.seckill:user";q=5;w=10, "coupon.seckill:global";q=100;w=10',
    );
    expect(admitted.headers.get('ratelimit')).toBe(
      '"coupon.seckill:user";r=4;t=10, "coupon.seckill:global";r=99;t=10',
    );
    for (let n = 0; n < 4; n++) await call();

    const refused = await call();
    const { error } = await refused.json();
    expect(refused.status).toBe(429);
    expect(error.message).toBe('抢购次数暂时用完了，请在倒计时结束后重试。');
    expect(error.data).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      rateLimit: {
        policy: 'coupon.seckill',
        level: 'user',
        reason: 'limited',
        limit: 5,
        windowMs: 10_000,
        remaining: 0,
        bannedUntil: null,
      },
    });
    expect(Number(refused.headers.get('retry-after'))).toBe(
      Math.ceil(error.data.rateLimit.retryAfterMs / 1000),
    );
    expect(refused.headers.get('ratelimit-policy')).toBe('"coupon.seckill:user";q=5;w=10');
  });

  test('a call whose reply was lost is charged once, and its retry returns the same order', async () => {
    const couponId = await openCoupon();
    const proxy = await startDroppingProxy(new URL(node.url));
    const requestId = randomUUID();
    const through = clientOf({ ...node, url: proxy.url }, 'eve');
    await expect(through.coupon.seckill.mutate({ couponId, requestId })).rejects.toThrow();
    const retried = await clientOf(node, 'eve').coupon.seckill.mutate({ couponId, requestId });
    expect(retried).toMatchObject({ outcome: 'accepted', order: { userId: 'eve' } });
    expect((await node.readLive()).windows).toMatchObject([{ used: 1 }]);
    const { orders } = await clientOf(node, 'eve').order.list.query({});
    expect(orders).toHaveLength(1);
    await proxy.close();
  });

  test('a request id in capitals is the same id: nothing is charged or bought again', async () => {
    const requestId = randomUUID();
    for (const kind of ['seckill', 'claim'] as const) {
      const terms = kind === 'claim' ? { kind, stock: null, priceCents: 0 } : {};
      const couponId = await openCoupon(terms);
      const first = await clientOf(node, 'caps').coupon[kind].mutate({ couponId, requestId });
      const capitals = { couponId, requestId: requestId.toUpperCase() };
      expect(await clientOf(node, 'caps').coupon[kind].mutate(capitals)).toEqual(first);
    }
    const { windows } = await clientOf(node, 'caps').limit.mine.query();
    expect(windows.filter(({ level }) => level === 'user')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ policy: 'coupon.seckill', used: 1 }),
        expect.objectContaining({ policy: 'coupon.claim', used: 1 }),
      ]),
    );
    expect((await clientOf(node, 'caps').order.list.query({})).orders).toHaveLength(2);
  });

  test('a request id with another coupon is a conflict, and neither charges nor buys', async () => {
    const [first, second] = [await openCoupon(), await openCoupon()];
    const [fay, gus] = [clientOf(node, 'fay'), clientOf(node, 'gus')];
    const requestId = randomUUID();
    const bought = await fay.coupon.seckill.mutate({ couponId: first, requestId });
    expect(await resultOf(fay.coupon.seckill.mutate({ couponId: second, requestId }))).toBe('CONFLICT');
    expect(await fay.coupon.seckill.mutate({ couponId: first, requestId })).toEqual(bought);
    expect(await resultOf(gus.coupon.seckill.mutate({ couponId: second, requestId }))).toBe('accepted');
    expect((await node.readLive()).windows).toMatchObject([{ used: 2 }]);
    const { orders } = await fay.order.list.query({});
    expect(orders.map(({ couponId }) => couponId)).toEqual([first]);
  });

  test('a call without a session is rejected, and charges nothing', async () => {
    const couponId = await openCoupon();
    expect(await resultOf(clientOf(node).coupon.seckill.mutate({ couponId }))).toBe('UNAUTHORIZED');
    expect((await node.readLive()).windows).toMatchObject([{ used: 0 }]);
  });

  test('invalid input is refused with its field; an unknown coupon is not found', async () => {
    const ada = clientOf(node, 'ada');
    await expect(ada.coupon.seckill.mutate({ couponId: 'x', requestId: 'no uuid' })).rejects.toThrow(
      /^requestId: /,
    );
    expect(await resultOf(ada.coupon.seckill.mutate({ couponId: 'nothing' }))).toBe('NOT_FOUND');
  });
});

test('coupon.claim: three a minute, then refused at level user', async () => {
  const couponId = await openCoupon({ kind: 'claim', stock: null, priceCents: 0 });
  const ada = clientOf(node, 'ada');
  const results: string[] = [];
  for (let n = 0; n < 4; n++) results.push(await resultOf(ada.coupon.claim.mutate({ couponId })));
  expect(results).toEqual(['accepted', 'accepted', 'accepted', 'TOO_MANY_REQUESTS']);
  const { windows } = await ada.limit.mine.query();
  expect(windows.find(({ policy }) => policy === 'coupon.claim')).toMatchObject({
    level: 'user',
    used: 3,
    remaining: 0,
  });
});

test('merchant queries: five a second for one address over both procedures, whatever its headers contain', async () => {
  const { merchants } = await clientOf(node).merchant.list.query({});
  const id = merchants[0]?.id ?? '';
  const forged = (n: number) =>
    clientOf(node, undefined, {
      'x-forwarded-for': `10.0.0.${n}`,
      forwarded: `for=10.0.1.${n}`,
      'x-real-ip': `10.0.2.${n}`,
    });
  const calls = Array.from({ length: 9 }, (_, n) => {
    const { list, byId } = forged(n).merchant;
    const call = n % 2 === 0 ? list.query({ q: 'a' }) : byId.query({ id });
    return resultOf(call.then(() => ({ outcome: 'answered' })));
  });
  expect(countOf(await Promise.all(calls))).toEqual({ answered: 4, TOO_MANY_REQUESTS: 5 });
});

test('demo.crowd: shoppers with their own sessions fill the global window', async () => {
  const couponId = await openCoupon();
  const admin = clientOf(node, { id: 'ada', name: 'Ada', role: 'admin' });
  onTestFinished(async () => void (await database.db.delete(limitOverrides)));
  await admin.limit.update.mutate({
    policy: 'coupon.seckill',
    level: 'global',
    limit: 10,
    windowMs: 600_000,
  });
  const crowd = { couponId, shoppers: 15, overMs: 0 };
  const { admitted, refused, outcomes } = await clientOf(node).demo.crowd.mutate(crowd);
  expect({ admitted, refused }).toEqual({ admitted: 10, refused: 5 });
  expect(outcomes).toMatchObject({ accepted: 10 });
});

test('while Postgres is down an order stays reserved, and is confirmed after the restart', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'floodgate-api-'));
  let postgres = await startPostgres({ dir });
  const own = await freshDatabase(postgres.url);
  const other = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: own.url });
  const couponId = await openCouponOn({ db: own.db, sale: other.sale });
  const { port } = postgres;
  await postgres.kill();

  const ada = clientOf(other, 'ada');
  const bought = await ada.coupon.seckill.mutate({ couponId });
  expect(bought).toMatchObject({ outcome: 'accepted', order: { status: 'reserved' } });
  expect(await ada.coupon.seckill.mutate({ couponId })).toMatchObject({
    outcome: 'already-bought',
    order: { status: 'reserved' },
  });
  await waitUntil(async () => (await fetch(`${other.url}/readyz`)).status === 503);

  postgres = await vi.waitFor(() => startPostgres({ dir, port }), { timeout: 25_000, interval: 200 });
  const id = 'order' in bought ? bought.order.id : '';
  await waitUntil(
    async () => (await ada.order.byId.query({ id }).catch(() => undefined))?.order.status === 'confirmed',
    { interval: 100 },
  );
  await other.stop();
  await own.drop();
  await postgres.stop();
  await rm(dir, { recursive: true });
});

test('a node whose ledger is above its bound is not ready, with the reason, until the orders are written', async () => {
  const couponId = await openCoupon();
  const other = await startTestNode(
    { REDIS_URL: redis.url, DATABASE_URL: database.url },
    { lagBound: { entries: 1_000, ageMs: 500 } },
  );
  const readyz = async () => {
    const answer = await fetch(`${other.url}/readyz`);
    return { status: answer.status, ...(await answer.json()) };
  };
  expect(await readyz()).toMatchObject({
    status: 200,
    dependencies: { ledger: { ok: true }, redisSettings: { ok: true } },
  });

  const lock = await lockCoupon(database.url, couponId);
  const ada = clientOf(other, 'ada');
  expect(await ada.coupon.seckill.mutate({ couponId })).toMatchObject({ order: { status: 'reserved' } });
  await waitUntil(async () => (await readyz()).status === 503);
  expect(await readyz()).toMatchObject({
    ready: false,
    dependencies: {
      postgres: { ok: true },
      redis: { ok: true },
      ledger: {
        ok: false,
        detail: expect.stringMatching(/^\d+ ms behind; sales are paused until it has caught up$/),
      },
    },
  });

  await lock.release();
  await waitUntil(async () => (await readyz()).status === 200);
  expect(await readyz()).toMatchObject({ ready: true, dependencies: { ledger: { ok: true } } });
  await other.stop();
});

test('a streaming batch is answered like a plain one, with the status and headers of its calls', async () => {
  const couponId = await openCoupon();
  const answer = await fetchCall(node, 'coupon.seckill', {
    user: 'ada',
    input: { couponId },
    headers: { 'trpc-accept': 'application/jsonl' },
  });
  expect(answer.headers.get('ratelimit')).toContain('coupon.seckill:user');
});

test('the live stream shows the window at once, and again when it changes', async () => {
  const couponId = await openCoupon();
  const { until, close } = await readLiveStream();
  await until(/event: windows\ndata: .*"used":0/);
  await clientOf(node, 'ada').coupon.seckill.mutate({ couponId });
  await until(/"used":1/);
  await until(/"policy":"coupon.seckill","level":"user","admitted":1,"refused":0,"banned":0,"degraded":0/);
  await close();
});

test('the live stream shows a changed limit of the user level', async () => {
  const admin = clientOf(node, { id: 'ada', name: 'Ada', role: 'admin' });
  const level = { policy: 'coupon.seckill', level: 'user' };
  const levelWith = (limit: number) =>
    new RegExp(
      `${JSON.stringify(level).slice(0, -1)},"algorithm":"sliding-log","limit":${limit},"windowMs":10000`,
    );
  const { until, close } = await readLiveStream();
  await until(levelWith(5));
  await admin.limit.update.mutate({ ...level, limit: 2 });
  await until(levelWith(2));
  await admin.limit.reset.mutate(level);
  await close();
});

/** Opens the live stream. `until` reads it until the whole text has a match. */
async function readLiveStream() {
  const stream = await fetch(`${node.url}/api/live`);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (found: RegExp) => {
    while (!found.test(text)) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) throw new Error(`the stream ended before ${found} came`);
      text += chunk.value;
    }
  };
  return { until, close: () => reader?.cancel() };
}

/** A proxy that hands requests on and cuts the connection when the first byte of an answer comes. */
async function startDroppingProxy(target: URL): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectTcp(Number(target.port), target.hostname);
    sockets.add(client).add(upstream);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream);
    upstream.once('data', () => {
      client.destroy();
      upstream.destroy();
    });
  });
  const port = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
