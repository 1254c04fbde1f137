import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { createTRPCClient, httpBatchLink, httpLink, TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { insertCoupon } from '../test/coupons';
import { freshDatabase, type TestDatabase } from '../test/database';
import { startTestNode, type TestNode } from '../test/node';
import { startRedis } from '../test/services/redis';
import type { TestService } from '../test/services/test-service';
import type { AppRouter } from './router';
import type { User } from './trpc/user';

let database: TestDatabase;
let redis: TestService;
let node: TestNode;

beforeAll(async () => {
  database = await freshDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

beforeEach(async () => {
  redis = await startRedis();
  node = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' });
  return async () => {
    await node.stop();
    await redis.stop();
  };
});

const shopper = (id: string): User => ({ id, name: id, role: 'shopper' });

function clientOf(user: User | undefined, { url = node.url, headers = {} } = {}) {
  return createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${url}/api/trpc`,
        headers: { ...headers, ...(user && { cookie: node.sessions.sign(user) }) },
      }),
    ],
  });
}

/** What a call came to: its outcome, or the code of its error. */
async function fateOf(call: Promise<{ outcome: string }>): Promise<string> {
  try {
    return (await call).outcome;
  } catch (error) {
    if (error instanceof TRPCClientError) return String(error.data?.code ?? error.message);
    throw error;
  }
}

function countOf(fates: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const fate of fates) counts[fate] = (counts[fate] ?? 0) + 1;
  return counts;
}

/** A coupon whose gate is open, so that no call meets the moment of its first opening. */
async function openCoupon(values: Parameters<typeof insertCoupon>[1] = {}): Promise<string> {
  const couponId = await insertCoupon(database.db, values);
  await vi.waitUntil(() => node.sale.openGate(couponId));
  return couponId;
}

describe('coupon.seckill', () => {
  test('500 shoppers at once, each with a forged address: 100 are let in', async () => {
    const couponId = await openCoupon({ stock: 1_000 });
    const calls = Array.from({ length: 500 }, (_, n) => {
      const forged = {
        'x-forwarded-for': `10.0.${n % 250}.1`,
        forwarded: `for=10.1.${n % 250}.1`,
        'x-real-ip': '10.2.2.2',
      };
      return fateOf(
        clientOf(shopper(`shopper-${n}`), { headers: forged }).coupon.seckill.mutate({ couponId }),
      );
    });
    expect(countOf(await Promise.all(calls))).toEqual({ accepted: 100, TOO_MANY_REQUESTS: 400 });
  });

  test('500 shoppers over two nodes that share a Redis: 100 are let in', async () => {
    const other = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: database.url });
    const couponId = await openCoupon({ stock: 1_000 });
    const calls = Array.from({ length: 500 }, (_, n) => {
      const { url } = n % 2 === 0 ? node : other;
      return fateOf(clientOf(shopper(`shopper-${n}`), { url }).coupon.seckill.mutate({ couponId }));
    });
    expect(countOf(await Promise.all(calls))).toEqual({ accepted: 100, TOO_MANY_REQUESTS: 400 });
    await other.stop();
  });

  test('one shopper in a batch of ten: five are let in, and the sixth leaves the global window alone', async () => {
    const couponId = await openCoupon();
    const batched = createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({
          url: `${node.url}/api/trpc`,
          maxItems: 10,
          headers: { cookie: node.sessions.sign(shopper('ada')) },
        }),
      ],
    });
    const calls = Array.from({ length: 10 }, () => fateOf(batched.coupon.seckill.mutate({ couponId })));
    expect(countOf(await Promise.all(calls))).toEqual({
      accepted: 1,
      'already-bought': 4,
      TOO_MANY_REQUESTS: 5,
    });
    const { windows } = await node.readLive();
    expect(windows).toMatchObject([{ policy: 'coupon.seckill', level: 'global', used: 5, remaining: 95 }]);
  });

  test('a refusal says which rule, whose, and when to come back; an admitted call shows both levels', async () => {
    const couponId = await openCoupon();
    const call = () =>
      fetch(`${node.url}/api/trpc/coupon.seckill`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          cookie: node.sessions.sign(shopper('ada')),
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
    expect(error.message).toBe('抢购人数过多，请在倒计时结束后重试。');
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

  test('a call whose reply was lost is charged once, and its retry finds the same order', async () => {
    const couponId = await openCoupon();
    const proxy = await startDroppingProxy(new URL(node.url));
    const requestId = randomUUID();
    const through = clientOf(shopper('eve'), { url: proxy.url });
    await expect(through.coupon.seckill.mutate({ couponId, requestId })).rejects.toThrow();
    const retried = await clientOf(shopper('eve')).coupon.seckill.mutate({ couponId, requestId });
    expect(retried).toMatchObject({ outcome: 'accepted', order: { userId: 'eve' } });
    expect((await node.readLive()).windows).toMatchObject([{ used: 1 }]);
    const { orders } = await clientOf(shopper('eve')).order.list.query({});
    expect(orders).toHaveLength(1);
    await proxy.close();
  });

  test('who is not signed in is told so, and charges nothing', async () => {
    const couponId = await openCoupon();
    expect(await fateOf(clientOf(undefined).coupon.seckill.mutate({ couponId }))).toBe('UNAUTHORIZED');
    expect((await node.readLive()).windows).toMatchObject([{ used: 0 }]);
  });

  test('input that makes no sense names the field; an unknown coupon is not found', async () => {
    const ada = clientOf(shopper('ada'));
    await expect(ada.coupon.seckill.mutate({ couponId: 'x', requestId: 'no uuid' })).rejects.toThrow(
      /^requestId: /,
    );
    expect(await fateOf(ada.coupon.seckill.mutate({ couponId: 'nothing' }))).toBe('NOT_FOUND');
  });
});

test('coupon.claim: three a minute, then refused at level user', async () => {
  const couponId = await openCoupon({ kind: 'claim', stock: null, priceCents: 0 });
  const ada = clientOf(shopper('ada'));
  const fates: string[] = [];
  for (let n = 0; n < 4; n++) fates.push(await fateOf(ada.coupon.claim.mutate({ couponId })));
  expect(fates).toEqual(['accepted', 'accepted', 'accepted', 'TOO_MANY_REQUESTS']);
  const { windows } = await ada.limit.mine.query();
  expect(windows.find(({ policy }) => policy === 'coupon.claim')).toMatchObject({
    level: 'user',
    used: 3,
    remaining: 0,
  });
});

test('merchant queries: five a second for one address, both procedures together', async () => {
  const { merchants } = await clientOf(undefined).merchant.list.query({});
  const id = merchants[0]?.id ?? '';
  const calls = Array.from({ length: 9 }, (_, n) => {
    const call =
      n % 2 === 0
        ? clientOf(undefined).merchant.list.query({ q: 'a' })
        : clientOf(undefined).merchant.byId.query({ id });
    return fateOf(call.then(() => ({ outcome: 'answered' })));
  });
  expect(countOf(await Promise.all(calls))).toEqual({ answered: 4, TOO_MANY_REQUESTS: 5 });
});

test('demo.crowd: shoppers with sessions of their own fill the window that everybody shares', async () => {
  const couponId = await openCoupon({ stock: 1_000 });
  const { admitted, refused, outcomes } = await clientOf(undefined).demo.crowd.mutate({
    couponId,
    shoppers: 150,
    overMs: 0,
  });
  expect({ admitted, refused }).toEqual({ admitted: 100, refused: 50 });
  expect(outcomes).toMatchObject({ accepted: 100 });
});

test('without Redis: closed policies answer 503 and local ones admit, within 300 ms; all comes back by itself', async () => {
  const couponId = await openCoupon();
  const { port } = redis;
  await redis.kill();
  for (const signal of ['dead', 'dead again']) {
    const started = performance.now();
    expect(await fateOf(clientOf(shopper('ada')).coupon.seckill.mutate({ couponId })), signal).toBe(
      'SERVICE_UNAVAILABLE',
    );
    expect(performance.now() - started).toBeLessThan(300);
  }
  const merchants = await fetch(`${node.url}/api/trpc/merchant.list`);
  expect([merchants.status, merchants.headers.get('floodgate-degraded')]).toEqual([200, '1']);
  const coupons = await clientOf(undefined).coupon.list.query();
  expect(coupons.coupons.find(({ id }) => id === couponId)?.state).toBe('paused');
  await vi.waitUntil(async () => (await fetch(`${node.url}/readyz`)).status === 503);

  redis = await startRedis({ port });
  await vi.waitUntil(async () => (await fetch(`${node.url}/readyz`)).status === 200, { timeout: 5_000 });
  await vi.waitUntil(
    async () => (await fateOf(clientOf(shopper('ada')).coupon.seckill.mutate({ couponId }))) === 'accepted',
    {
      timeout: 9_000,
      interval: 500,
    },
  );
});

test('the live stream shows the window at once, and again when it changes', async () => {
  const couponId = await openCoupon();
  const stream = await fetch(`${node.url}/api/live`);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (found: RegExp) => {
    while (!found.test(text)) text += (await reader?.read())?.value ?? '';
  };
  await until(/event: windows\ndata: .*"used":0/);
  await clientOf(shopper('ada')).coupon.seckill.mutate({ couponId });
  await until(/"used":1/);
  await until(/"policy":"coupon.seckill","level":"user","admitted":1,"refused":0,"banned":0,"degraded":0/);
  await reader?.cancel();
});

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
