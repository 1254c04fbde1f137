import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { insertCoupon } from '../test/coupons';
import { freshDatabase, type TestDatabase } from '../test/database';
import { startTestNode, type TestNode } from '../test/node';
import { startRedis } from '../test/services/redis';
import type { TestService } from '../test/services/test-service';
import { postgresUrl } from '../test/services/worker-services';
import type { AppRouter } from './router';
import type { User } from './trpc/context';

let database: TestDatabase;
let redis: TestService;
let node: TestNode;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
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

function clientOf(user: User | undefined) {
  const headers = user && { cookie: node.sessions.createCookieHeader(user) };
  return createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${node.url}/api/trpc`, ...(headers && { headers }) })],
  });
}

/** Calls of every kind, and their statuses while Redis is unavailable. */
const callsOfEveryKind = [
  ['coupon.seckill', 503],
  ['coupon.claim', 503],
  ['demo.crowd', 503],
  ['limit.mine', 503],
  ['coupon.list', 200],
  ['coupon.byId', 200],
  ['merchant.list', 200],
  ['merchant.byId', 200],
  ['order.list', 200],
  ['auth.me', 200],
] as const;

describe.each([
  ['dead', (): Promise<void> => redis.kill()],
  ['frozen', async (): Promise<void> => void process.kill(redis.pid, 'SIGSTOP')],
] as const)('while Redis is %s', (_state, fail) => {
  test('every call is answered within 300 ms as its policy says, and all recovers by itself', async () => {
    const couponId = await insertCoupon(database.db);
    await vi.waitUntil(() => node.sale.ensureGate(couponId));
    const merchantId = `merchant-of-${couponId}`;
    const inputs: Record<string, object> = {
      'coupon.seckill': { couponId },
      'coupon.claim': { couponId },
      'demo.crowd': { couponId, shoppers: 1, overMs: 0 },
      'coupon.byId': { id: couponId },
      'merchant.byId': { id: merchantId },
    };
    const call = (path: string) =>
      callOnce(path, { input: inputs[path], cookie: node.sessions.createCookieHeader(shopper('ada')) });
    for (const [path] of callsOfEveryKind) await call(path);

    const { port } = redis;
    await fail();
    for (const [path, status] of callsOfEveryKind) {
      const started = performance.now();
      const answer = await call(path);
      expect([path, answer.status]).toEqual([path, status]);
      expect(performance.now() - started, path).toBeLessThan(300);
      const isDegraded = path.startsWith('merchant') || path === 'coupon.list' || path === 'coupon.byId';
      expect(answer.headers.get('floodgate-degraded'), path).toBe(isDegraded ? '1' : null);
    }
    // The list may be a quarter of a second old.
    await vi.waitUntil(async () => {
      const { coupons } = await clientOf(undefined).coupon.list.query();
      return coupons.find(({ id }) => id === couponId)?.state === 'paused';
    });
    await vi.waitUntil(async () => (await fetch(`${node.url}/readyz`)).status === 503);

    await redis.stop();
    redis = await startRedis({ port });
    await vi.waitUntil(async () => (await fetch(`${node.url}/readyz`)).status === 200, { timeout: 9_000 });
    const bob = clientOf(shopper('bob'));
    await vi.waitUntil(() => isAccepted(bob.coupon.seckill.mutate({ couponId })), {
      timeout: 9_000,
      interval: 500,
    });
  });
});

async function isAccepted(call: Promise<{ outcome: string }>): Promise<boolean> {
  try {
    return (await call).outcome === 'accepted';
  } catch (error) {
    if (error instanceof TRPCClientError) return false;
    throw error;
  }
}

function callOnce(
  path: string,
  {
    input = {},
    cookie,
    headers = {},
  }: { input?: object | undefined; cookie: string; headers?: Record<string, string> },
): Promise<Response> {
  const isMutation = ['coupon.seckill', 'coupon.claim', 'demo.crowd'].includes(path);
  const url = `${node.url}/api/trpc/${path}`;
  const json = JSON.stringify(input);
  if (!isMutation)
    return fetch(`${url}?input=${encodeURIComponent(json)}`, { headers: { ...headers, cookie } });
  return fetch(url, {
    method: 'POST',
    headers: { ...headers, cookie, 'content-type': 'application/json' },
    body: json,
  });
}
