import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { confirmedOrders, untilConfirmed } from '../../test/confirmed-orders';
import { insertCoupon } from '../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { connectTestRedis } from '../../test/redis';
import { startTestSale } from '../../test/sale';
import { saleEngines } from '../../test/sale-engines';
import type { TestService } from '../../test/services/test-service';
import { postgresUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import { coupons, orders } from '../db/schema';
import { AppError } from '../errors';
import { saleKeys } from '../redis/keys';
import type { PurchaseOutcome } from './purchase';
import type { Sale } from './sale';

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(saleEngines)('a sale on $engines', ({ startStore, url, pglite }) => {
  let database: TestDatabase;
  let redis: TestService;
  let sale: Sale;

  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    redis = await startStore();
    sale = await startTestSale({ db: database.db, redisUrl: redis.url });
  });
  afterEach(async () => {
    await sale.stop();
    await redis.stop();
  });

  const buy = (couponId: string, userId: string, requestId?: string) =>
    sale.purchase({ kind: 'seckill', couponId, userId, requestId, deadline: performance.now() + 280 });
  const claim = (couponId: string, userId: string, requestId?: string) =>
    sale.purchase({ kind: 'claim', couponId, userId, requestId, deadline: performance.now() + 280 });

  /** Repeats a call, like a browser, while the sale is paused or unavailable. */
  const buyWithRetries = (couponId: string, userId: string) => {
    const requestId = randomUUID();
    return waitUntil(async () => {
      const outcome = await buy(couponId, userId, requestId).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') return undefined;
        throw error;
      });
      return outcome && outcome.outcome !== 'paused' ? outcome : undefined;
    });
  };

  const confirmedOf = (couponId: string) => confirmedOrders(database.db, couponId);
  const settled = (couponId: string, count: number) => untilConfirmed(database.db, { couponId, count });

  const left = async (couponId: string) =>
    (await sale.couponReader.byId(couponId, readOptions())).coupon.stock?.remaining;

  test('stock 50 and 500 concurrent shoppers: 50 confirmed orders, one per shopper, none left', async () => {
    const couponId = await insertCoupon(database.db);
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, n) => buyWithRetries(couponId, `shopper-${n}`)),
    );
    expect(countOf(outcomes)).toEqual({ accepted: 50, 'sold-out': 450 });
    await settled(couponId, 50);
    expect(new Set((await confirmedOf(couponId)).map(({ userId }) => userId)).size).toBe(50);
    expect(await left(couponId)).toBe(0);
    expect((await sale.couponReader.byId(couponId, readOptions())).coupon.state).toBe('sold-out');
  });

  test('Redis is killed and emptied during the sale: still 50 orders, one per shopper, none left', async () => {
    const couponId = await insertCoupon(database.db);
    const first = await Promise.all(
      Array.from({ length: 20 }, (_, n) => buyWithRetries(couponId, `shopper-${n}`)),
    );
    const promised = first.flatMap((outcome) => ('order' in outcome ? [outcome.order] : []));
    const { port } = redis;
    const rest = Array.from({ length: 480 }, (_, n) => buyWithRetries(couponId, `shopper-${20 + n}`));
    await redis.kill();
    redis = await startStore({ port });
    await Promise.all(rest);
    // Orders that the outbox lost were never confirmed; their stock is on sale again.
    for (let late = 0; (await left(couponId)) !== 0; late++) await buyWithRetries(couponId, `late-${late}`);

    await settled(couponId, 50);
    const confirmed = await confirmedOf(couponId);
    expect(new Set(confirmed.map(({ userId }) => userId)).size).toBe(50);
    const inLedger = new Set(confirmed.map(({ id }) => id));
    for (const order of promised) if (order.status === 'confirmed') expect(inLedger).toContain(order.id);
    expect(await left(couponId)).toBe(0);
  });

  test('after Redis was emptied the sale continues only with a rebuilt gate and the remaining stock', async () => {
    const couponId = await insertCoupon(database.db, { stock: 3 });
    await buyWithRetries(couponId, 'ada');
    await settled(couponId, 1);
    await emptyRedis(redis.url);
    expect(await buyWithRetries(couponId, 'ada')).toMatchObject({ outcome: 'already-bought' });
    expect(await left(couponId)).toBe(2);
  });

  test('a second call of one shopper finds the first order', async () => {
    const couponId = await insertCoupon(database.db);
    const first = await buyWithRetries(couponId, 'ada');
    expect(first).toMatchObject({ outcome: 'accepted', order: { userId: 'ada' } });
    await settled(couponId, 1);
    const [confirmed] = await confirmedOf(couponId);
    expect(await buy(couponId, 'ada')).toMatchObject({
      outcome: 'already-bought',
      order: { id: confirmed?.id },
    });
  });

  test('a claim may be repeated and has no stock', async () => {
    const couponId = await insertCoupon(database.db, { kind: 'claim', stock: null, priceCents: 0 });
    await waitUntil(() => sale.ensureGate(couponId));
    const outcomes = await Promise.all([
      claim(couponId, 'ada'),
      claim(couponId, 'ada'),
      claim(couponId, 'bob'),
    ]);
    expect(countOf(outcomes)).toEqual({ accepted: 3 });
    await settled(couponId, 3);
  });

  test('before the start and after the end nothing is sold', async () => {
    const soon = await insertCoupon(database.db, { startsAt: new Date(Date.now() + 60_000) });
    const over = await insertCoupon(database.db, {
      startsAt: new Date(Date.now() - 60_000),
      endsAt: new Date(Date.now() - 1_000),
    });
    expect(await buyWithRetries(soon, 'ada')).toEqual({ outcome: 'not-started' });
    expect(await buyWithRetries(over, 'ada')).toEqual({ outcome: 'ended' });
  });

  test('a sale that ended days ago answers ended without a rebuild', async () => {
    const couponId = await insertCoupon(database.db, {
      startsAt: new Date(Date.now() - 4 * DAY_MS),
      endsAt: new Date(Date.now() - 3 * DAY_MS),
    });
    expect(await buy(couponId, 'ada')).toEqual({ outcome: 'ended' });
    const row = await database.db.query.coupons.findFirst({ where: eq(coupons.id, couponId) });
    expect(row?.generation).toBe(0);
  });

  test('a request id that was charged before the start buys nothing after it', async () => {
    const couponId = await insertCoupon(database.db, { startsAt: new Date(Date.now() + 1_500) });
    const requestId = randomUUID();
    const replay = {
      kind: 'seckill',
      couponId,
      requestId,
      isReplay: true,
      deadline: performance.now() + 280,
    } as const;
    expect(await buyWithRetries(couponId, 'ada')).toEqual({ outcome: 'not-started' });
    await waitUntil(async () => (await buyWithRetries(couponId, 'bob')).outcome === 'accepted');
    expect(await sale.purchase({ ...replay, userId: 'ada' })).toEqual({ outcome: 'paused' });
    expect(await buy(couponId, 'ada', randomUUID())).toMatchObject({ outcome: 'accepted' });
  });

  test('a gate of another ledger with a newer generation is rebuilt from this ledger', async () => {
    const couponId = await insertCoupon(database.db, { stock: 3 });
    await buyWithRetries(couponId, 'ada');
    await settled(couponId, 1);
    const store = await connectTestRedis(redis.url);
    await store.hset(saleKeys(couponId).gate, { generation: 500, remaining: 0 });
    await waitUntil(async () => (await left(couponId)) === 2, { interval: 100 });
    expect(await buyWithRetries(couponId, 'bob')).toMatchObject({ outcome: 'accepted' });
    await settled(couponId, 2);
    await store.quit();
  });

  test('a gate that its rebuild never opened is rebuilt again', async () => {
    const couponId = await insertCoupon(database.db);
    await buyWithRetries(couponId, 'ada');
    await settled(couponId, 1);
    await database.db.update(coupons).set({ generation: 99 }).where(eq(coupons.id, couponId));
    await waitUntil(
      async () => {
        const outcome = await buy(couponId, `shopper-${randomUUID()}`);
        return 'order' in outcome && outcome.order.status === 'confirmed';
      },
      { interval: 200 },
    );
  });

  test('an unknown id is NOT_FOUND, and a coupon of the other kind is BAD_REQUEST', async () => {
    const claimId = await insertCoupon(database.db, { kind: 'claim', stock: null });
    await expect(buy('nothing', 'ada')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(buy(claimId, 'ada')).rejects.toMatchObject({ code: 'BAD_REQUEST', message: /couponId/ });
  });

  test('a gate that has lost a buyer sells nothing twice, and its stock returns', async () => {
    const couponId = await insertCoupon(database.db, { stock: 2 });
    const first = await buyWithRetries(couponId, 'ada');
    await settled(couponId, 1);
    const store = await connectTestRedis(redis.url);
    await store.hdel(saleKeys(couponId).buyers, 'ada');
    expectNoConfirmation(await buy(couponId, 'ada'));
    await waitUntil(async () => (await left(couponId)) === 1);
    expect(await buy(couponId, 'ada')).toMatchObject({
      outcome: 'already-bought',
      order: 'order' in first && { id: first.order.id },
    });
    expect(await buy(couponId, 'bob')).toMatchObject({ outcome: 'accepted' });
    await settled(couponId, 2);
    await store.quit();
  });

  test('an order of a generation before the rebuild is refused and reported as cancelled', async () => {
    const couponId = await insertCoupon(database.db, { stock: 2 });
    await buyWithRetries(couponId, 'ada');
    await settled(couponId, 1);
    const shopper = `bob-${randomUUID()}`;
    // Another node has leased the rebuild, and the gate still has the former generation.
    await database.db.update(coupons).set({ generation: 99 }).where(eq(coupons.id, couponId));
    expectNoConfirmation(await buy(couponId, shopper));
    const [order] = await waitUntil(async () => {
      const { orders: listed } = await sale.shopperOrders.list({ userId: shopper });
      return listed.every(({ status }) => status !== 'reserved') && listed.length > 0 && listed;
    });
    expect(order).toMatchObject({ status: 'cancelled' });
    expect(await confirmedOf(couponId)).toHaveLength(1);
  });

  test('if two nodes find the gate missing, one rebuilds it and both sell from it', async () => {
    const other = await startTestSale({ db: database.db, redisUrl: redis.url, nodeName: 'other-node' });
    const couponId = await insertCoupon(database.db, { stock: 10 });
    const everyone = Array.from({ length: 30 }, (_, n) =>
      waitUntil(async () => {
        const node = n % 2 === 0 ? sale : other;
        const outcome = await node.purchase({
          kind: 'seckill',
          couponId,
          userId: `shopper-${n}`,
          deadline: performance.now() + 280,
        });
        return outcome.outcome === 'paused' ? undefined : outcome;
      }),
    );
    expect(countOf(await Promise.all(everyone))).toEqual({ accepted: 10, 'sold-out': 20 });
    await settled(couponId, 10);
    await other.stop();
  });

  test('a shopper sees only their own orders, newest first, page by page', async () => {
    const ids: string[] = [];
    const couponId = await insertCoupon(database.db, { kind: 'claim', stock: null, priceCents: 0 });
    await waitUntil(() => sale.ensureGate(couponId));
    for (let n = 0; n < 23; n++) {
      const outcome = await claim(couponId, 'cleo');
      if ('order' in outcome) ids.unshift(outcome.order.id);
    }
    await claim(couponId, 'dora');
    await settled(couponId, 24);
    const first = await sale.shopperOrders.list({ userId: 'cleo' });
    expect(first.orders).toHaveLength(20);
    const cursor = JSON.parse(Buffer.from(first.nextCursor ?? '', 'base64url').toString());
    const second = await sale.shopperOrders.list({ userId: 'cleo', cursor });
    expect(second.nextCursor).toBeUndefined();
    expect(new Set([...first.orders, ...second.orders].map(({ id }) => id))).toEqual(new Set(ids));
    await expect(sale.shopperOrders.byId({ userId: 'dora', id: ids[0] ?? '' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('an order to pay is on the first page, however many newer ones there are, and on no other', async () => {
    const held = await insertCoupon(database.db);
    const bought = await buyWithRetries(held, 'edna');
    const heldId = 'order' in bought ? bought.order.id : '';
    await settled(held, 1);
    const couponId = await insertCoupon(database.db, { kind: 'claim', stock: null, priceCents: 0 });
    await waitUntil(() => sale.ensureGate(couponId));
    for (let n = 0; n < 21; n++) await claim(couponId, 'edna');
    await settled(couponId, 21);
    const first = await sale.shopperOrders.list({ userId: 'edna' });
    expect(first.orders).toHaveLength(21);
    expect(first.orders.at(-1)).toMatchObject({ id: heldId, status: 'confirmed' });
    const cursor = JSON.parse(Buffer.from(first.nextCursor ?? '', 'base64url').toString());
    const second = await sale.shopperOrders.list({ userId: 'edna', cursor });
    expect(second.orders).toHaveLength(1);
    expect(second.orders[0]?.id).not.toBe(heldId);
  });

  test('entries that a dead node has read but not written are claimed by another node', async () => {
    const couponId = await insertCoupon(database.db);
    await waitUntil(() => sale.ensureGate(couponId));
    const { outbox } = saleKeys(couponId);
    const store = await connectTestRedis(redis.url);
    const generation = (await store.hget(saleKeys(couponId).gate, 'generation')) ?? '';
    const entry = {
      generation,
      order: randomUUID(),
      shopper: 'ada',
      code: 'CODE',
      request: '',
      at: String(Date.now()),
    };
    await store.xadd(outbox, '*', ...Object.entries(entry).flat());
    await store.xreadgroup('GROUP', 'ledger', 'dead-node', 'STREAMS', outbox, '>');
    // As if the dead node had read it long ago.
    const [oldest] = await store.xrange(outbox, '-', '+');
    const entryId = oldest?.[0] ?? '';
    await store.call('XCLAIM', outbox, 'ledger', 'dead-node', 0, entryId, 'IDLE', 60_000);
    await settled(couponId, 1);
    await waitUntil(async () => (await store.xlen(outbox)) === 0);
    await store.quit();
  });
});

test('the rows of orders name their constraint when two orders of one shopper are forced in', async () => {
  const database = await freshDatabase(await postgresUrl());
  const couponId = await insertCoupon(database.db);
  const row = {
    couponId,
    userId: 'ada',
    status: 'confirmed' as const,
    onePerShopper: true,
    code: 'CODE',
    createdAt: new Date(),
  };
  await database.db.insert(orders).values({ ...row, id: 'one' });
  await expect(database.db.insert(orders).values({ ...row, id: 'two' })).rejects.toMatchObject({
    cause: { constraint: 'orders_one_open_per_shopper' },
  });
  await expect(
    database.db.update(coupons).set({ sold: 51 }).where(eq(coupons.id, couponId)),
  ).rejects.toMatchObject({ cause: { constraint: 'coupons_sold_within_stock' } });
  await database.drop();
});

const readOptions = () => ({ language: 'en' as const, deadline: performance.now() + 280 });

async function emptyRedis(url: string): Promise<void> {
  const store = await connectTestRedis(url);
  await store.flushall();
  await store.quit();
}

function countOf(outcomes: PurchaseOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** An order that the ledger refuses is `paused`, or `reserved` if the ledger took longer than the call may wait. */
function expectNoConfirmation(outcome: PurchaseOutcome): void {
  expect(['paused', 'reserved']).toContain('order' in outcome ? outcome.order.status : outcome.outcome);
}
