import { randomUUID } from 'node:crypto';
import { TRPCClientError } from '@trpc/client';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../test/database';
import { buyConfirmed, clientOf, fetchCall, openCoupon, startTestNode, type TestNode } from '../test/node';
import { startPostgres } from '../test/services/postgres';
import { startRedis } from '../test/services/redis';
import { signalAll } from '../test/services/signal-all';
import type { TestService } from '../test/services/test-service';
import { postgresUrl } from '../test/services/worker-services';
import { createDatabase, type Database } from './db/client';
import { coupons, payments } from './db/schema';
import type { Order } from './sale/order';
import { MUTATION_BUDGET_MS } from './trpc/deadline';

describe('a frozen Postgres', () => {
  let services: { redis: TestService; postgres: TestService };
  let database: Database;
  let node: TestNode;

  beforeAll(async () => {
    const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    services = { redis, postgres };
    node = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: postgres.url, FLOODGATE_DEMO: '1' });
    database = createDatabase({ url: postgres.url, pglite: false });
  });
  afterAll(async () => {
    await node?.stop();
    await database?.close();
    await Promise.all(Object.values(services ?? {}).map((service) => service.stop()));
  });

  function as(id: string, role: 'shopper' | 'admin' = 'shopper') {
    let cookie = '';
    const browser = node.sessions.openBrowser(undefined, (text) => {
      cookie = text.split(';')[0] ?? '';
    });
    browser.recordCodeRequest('ada@example.com');
    return clientOf(node, { id, name: id, role }, { cookie });
  }

  /** Freezes all processes of Postgres. */
  function freeze(): { thaw(): void } {
    const { pid } = services.postgres;
    signalAll(pid, 'SIGSTOP');
    const thaw = () => signalAll(pid, 'SIGCONT');
    onTestFinished(thaw);
    return { thaw };
  }

  /** The code of a call that must fail, and the duration of the call. */
  async function failureOf(call: Promise<unknown>): Promise<{ code: unknown; ms: number }> {
    const began = performance.now();
    const error = await call.then(
      (answer) => new Error(`it was answered: ${JSON.stringify(answer)}`),
      (reason: unknown) => reason,
    );
    if (error instanceof TRPCClientError && error.data)
      return { code: error.data.code, ms: performance.now() - began };
    throw error;
  }

  const boughtBy = (userId: string) => buyConfirmed(node, { db: database.db, userId });
  const orderOf = async ({ id, userId }: Order) => (await as(userId).order.byId.query({ id })).order;
  const statusBecomes = (order: Order, status: Order['status']) =>
    vi.waitUntil(async () => (await orderOf(order)).status === status, { timeout: 10_000 });

  /** The input of each procedure that needs Postgres, by its path. */
  function callsOf(order: Order): Record<string, () => Promise<unknown>> {
    const shopper = as(order.userId);
    const admin = as('the-admin', 'admin');
    const { id, couponId } = order;
    const level = { policy: 'coupon.claim', level: 'user' };
    const terms = {
      merchantId: `merchant-of-${couponId}`,
      kind: 'claim' as const,
      title: { en: 'Tea', zh: '茶' },
      faceValueCents: 500,
      priceCents: 0,
      startsAt: Date.now(),
      endsAt: Date.now() + 60_000,
    };
    return {
      'auth.sendCode': () => shopper.auth.sendCode.mutate({ email: 'ada@example.com' }),
      'auth.signInDemo': () => shopper.auth.signInDemo.mutate({ name: 'Ada' }),
      'auth.verifyCode': () => shopper.auth.verifyCode.mutate({ email: 'ada@example.com', code: '123456' }),
      'coupon.close': () => admin.coupon.close.mutate({ id: couponId }),
      'coupon.create': () => admin.coupon.create.mutate(terms),
      'coupon.update': () => admin.coupon.update.mutate({ id: couponId, priceCents: 991 }),
      'demo.crowd': () => shopper.demo.crowd.mutate({ couponId, shoppers: 1, overMs: 0 }),
      'limit.reset': () => admin.limit.reset.mutate(level),
      'limit.update': () => admin.limit.update.mutate({ ...level, limit: 4 }),
      'order.byId': () => shopper.order.byId.query({ id }),
      'order.cancel': () => shopper.order.cancel.mutate({ id }),
      'order.list': () => shopper.order.list.query(),
      'order.pay': () => shopper.order.pay.mutate({ id }),
    };
  }

  test('every procedure that needs a frozen Postgres is answered with 503 within its budget and a second', async () => {
    const calls = Object.entries(callsOf(await boughtBy('ada')));
    const admin = as('the-admin', 'admin');
    await admin.limit.list.query();
    freeze();
    expect((await admin.limit.list.query()).policies, 'an admin reads while Postgres is frozen').not.toEqual(
      [],
    );
    const failures = await Promise.all(
      calls.map(async ([path, call]) => [path, await failureOf(call())] as const),
    );
    for (const [path, { code, ms }] of failures) {
      expect(code, path).toBe('SERVICE_UNAVAILABLE');
      expect(ms, path).toBeLessThan(MUTATION_BUDGET_MS + 1_000);
    }
  });

  test('a purchase is reserved without a wait for Postgres', async () => {
    const couponId = await openCoupon({ db: database.db, sale: node.sale });
    freeze();
    const began = performance.now();
    expect(await as('dora').coupon.seckill.mutate({ couponId })).toMatchObject({
      outcome: 'accepted',
      order: { status: 'reserved' },
    });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test('a cancellation with an unknown outcome is found by its request id, and releases the stock once', async () => {
    const order = await boughtBy('bob');
    const requestId = randomUUID();
    const cancel = () => as('bob').order.cancel.mutate({ id: order.id, requestId });
    const { thaw } = freeze();
    expect(await failureOf(cancel())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    thaw();
    expect((await cancel()).order.status).toBe('cancelled');
    expect((await cancel()).order.status).toBe('cancelled');
    const row = await database.db.query.coupons.findFirst({ where: eq(coupons.id, order.couponId) });
    expect(row).toMatchObject({ sold: 0, stock: 50 });
  });

  test('a payment with an unknown outcome is found by its request id, and is paid once', async () => {
    const order = await boughtBy('cleo');
    const requestId = randomUUID();
    const pay = () => as('cleo').order.pay.mutate({ id: order.id, requestId });
    const { thaw } = freeze();
    expect(await failureOf(pay())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    thaw();
    // The first call may still run: then the second is refused, because it is one in flight for an order.
    await vi.waitFor(pay, { timeout: 5_000 });
    await statusBecomes(order, 'paid');
    expect((await pay()).order.status).toBe('paid');
    const made = await database.db.query.payments.findMany({ where: eq(payments.orderId, order.id) });
    expect(made).toMatchObject([{ status: 'approved' }]);
  });
});

describe('an unavailable Redis', () => {
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

  /** Calls of every kind, and their statuses while Redis is unavailable. */
  const callsOfEveryKind = [
    ['coupon.seckill', 503],
    ['coupon.claim', 503],
    ['demo.crowd', 503],
    ['lab.run', 503],
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
      const couponId = await openCoupon({ db: database.db, sale: node.sale });
      const merchantId = `merchant-of-${couponId}`;
      const inputs: Record<string, object> = {
        'coupon.seckill': { couponId },
        'coupon.claim': { couponId },
        'demo.crowd': { couponId, shoppers: 1, overMs: 0 },
        'lab.run': { algorithms: ['sliding-log'], limit: 1, windowMs: 1_000, arrivals: [0] },
        'coupon.byId': { id: couponId },
        'merchant.byId': { id: merchantId },
      };
      const call = (path: string) => fetchCall(node, path, { user: 'ada', input: inputs[path] });
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
        const { coupons } = await clientOf(node).coupon.list.query();
        return coupons.find(({ id }) => id === couponId)?.state === 'paused';
      });
      await vi.waitUntil(async () => (await fetch(`${node.url}/readyz`)).status === 503);

      await redis.stop();
      redis = await startRedis({ port });
      await vi.waitUntil(async () => (await fetch(`${node.url}/readyz`)).status === 200, { timeout: 9_000 });
      const bob = clientOf(node, 'bob');
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
});
