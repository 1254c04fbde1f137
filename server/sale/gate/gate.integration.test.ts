import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { confirmedOrders, untilConfirmed } from '../../../test/confirmed-orders';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { clientOf, openCoupon as openCouponOn, startTestNode } from '../../../test/node';
import { connectTestRedis } from '../../../test/redis';
import { startTestSale } from '../../../test/sale';
import { saleEngines } from '../../../test/sale-engines';
import { startRedis } from '../../../test/services/redis';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl, redisUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { orders } from '../../db/schema';
import type { RedisClient } from '../../redis/client';
import { heartbeatsKey, nodesKey, saleKeys } from '../../redis/keys';
import type { PurchaseRequest } from '../order';
import type { PurchaseOutcome } from '../purchase';
import type { Sale } from '../sale';
import { createFences, type Fences } from './fence';
import { createGate, type Gate } from './gate';

describe('the fence', () => {
  let redis: RedisClient;

  beforeAll(async () => {
    redis = await connectTestRedis(await redisUrl());
  });
  afterAll(() => redis.quit());

  const BOUND = { entries: 1_000, ageMs: 60_000 };

  /** A gate of generation 3 that has sold `sold` pieces, and a node that has read it. */
  async function openGate({ sold = 0, lagBound = BOUND } = {}) {
    const couponId = `coupon-${randomUUID()}`;
    const fence = createFences();
    const gate = createGate({ redis, fences: fence, lagBound });
    await gate.open({
      couponId,
      generation: 3,
      kind: 'seckill',
      startsAt: 0,
      endsAt: Date.now() + 60_000,
      remaining: 10,
      stock: 10,
      revision: 0,
    });
    for (let n = 0; n < sold; n++) await buy(gate, couponId, `shopper-${n}`);
    return { couponId, fence, gate };
  }

  function buy(gate: Gate, couponId: string, userId = 'ada') {
    return gate.purchase({
      couponId,
      kind: 'seckill',
      userId,
      orderId: randomUUID(),
      code: 'CODE',
      isReplay: false,
      deadline: performance.now() + 280,
    });
  }

  /** The gate on another node, which has observed this fence. */
  function gateWithFence(couponId: string, mark: Parameters<Fences['observe']>[1]): Gate {
    const fence = createFences();
    fence.observe(couponId, mark);
    return createGate({ redis, fences: fence, lagBound: BOUND });
  }

  test('each purchase raises the sequence of its generation, and its node observes the new fence', async () => {
    const { couponId, gate, fence } = await openGate({ sold: 2 });
    expect(fence.highest(couponId)).toEqual({ generation: 3, sequence: 2 });
    expect(await gate.readState(couponId)).toMatchObject({ generation: 3, sequence: 2, isStale: false });
    const entries = await redis.xrange(saleKeys(couponId).outbox, '-', '+');
    const sequences = entries.map(([, fields]) => fields[fields.indexOf('sequence') + 1]);
    expect(sequences).toEqual(['1', '2']);
  });

  test.each([
    { known: 'a later purchase', mark: { generation: 3, sequence: 3 }, outcome: 'stale' },
    { known: 'a later generation', mark: { generation: 4, sequence: 0 }, outcome: 'stale' },
    { known: 'the same purchase', mark: { generation: 3, sequence: 2 }, outcome: 'accepted' },
    { known: 'an earlier generation', mark: { generation: 2, sequence: 99 }, outcome: 'accepted' },
  ])('a gate of which a node has seen $known: $outcome', async ({ mark, outcome }) => {
    const { couponId } = await openGate({ sold: 2 });
    const node = gateWithFence(couponId, mark);
    expect((await node.readState(couponId))?.isStale).toBe(outcome === 'stale');
    expect(await buy(node, couponId)).toMatchObject({ outcome });
    expect((await node.readState(couponId))?.remaining).toBe(outcome === 'stale' ? 8 : 7);
  });

  test('a stale gate does not return orders either, because it may have lost buyers', async () => {
    const { couponId } = await openGate({ sold: 1 });
    const node = gateWithFence(couponId, { generation: 3, sequence: 2 });
    expect(await buy(node, couponId, 'shopper-0')).toEqual({ outcome: 'stale' });
  });

  test('a lower fence that arrives late changes nothing', () => {
    const fence = createFences();
    fence.observe('coupon', { generation: 2, sequence: 7 });
    fence.observe('coupon', { generation: 2, sequence: 5 });
    fence.observe('coupon', { generation: 1, sequence: 900 });
    expect(fence.highest('coupon')).toEqual({ generation: 2, sequence: 7 });
  });

  test('the gate accepts as many orders as may wait for the ledger, and no more', async () => {
    const { couponId, gate } = await openGate({ sold: 3, lagBound: { entries: 3, ageMs: 60_000 } });
    expect(await buy(gate, couponId)).toEqual({ outcome: 'behind' });
    expect(await buy(gate, couponId, 'shopper-1')).toMatchObject({ outcome: 'already-bought' });
    expect((await gate.readState(couponId))?.remaining).toBe(7);
  });

  test('the gate accepts no order while one has waited too long for the ledger', async () => {
    const { couponId, gate } = await openGate({ lagBound: { entries: 1_000, ageMs: 5_000 } });
    const { outbox } = saleKeys(couponId);
    await redis.xadd(outbox, `${Date.now() - 4_000}-0`, 'order', 'one');
    expect(await buy(gate, couponId)).toMatchObject({ outcome: 'accepted' });
    await redis.del(outbox);
    await redis.xadd(outbox, `${Date.now() - 6_000}-0`, 'order', 'one');
    expect(await buy(gate, couponId, 'bob')).toEqual({ outcome: 'behind' });
  });

  test('a gate that was opened again since is not closed', async () => {
    const { couponId, gate } = await openGate();
    await gate.close({ couponId, generation: 2 });
    expect(await gate.readState(couponId)).toMatchObject({ generation: 3 });
    await gate.close({ couponId, generation: 3 });
    expect(await gate.readState(couponId)).toBeUndefined();
  });
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('every key that a purchase leaves behind expires', async () => {
  const database = await freshDatabase(await postgresUrl());
  onTestFinished(() => database.drop());
  const service = await startRedis();
  onTestFinished(() => service.stop());
  const node = await startTestNode({ REDIS_URL: service.url, DATABASE_URL: database.url });
  onTestFinished(() => node.stop());
  const endsAt = Date.now() + HOUR_MS;
  const seckillId = await insertCoupon(database.db, { endsAt: new Date(endsAt) });
  const claimId = await insertCoupon(database.db, { kind: 'claim', stock: null, endsAt: new Date(endsAt) });
  for (const couponId of [seckillId, claimId]) await waitUntil(() => node.sale.ensureGate(couponId));

  for (const id of ['ada', 'bob']) {
    const { coupon } = clientOf(node, id);
    const requestId = randomUUID();
    await coupon.seckill.mutate({ couponId: seckillId, requestId });
    await coupon.claim.mutate({ couponId: claimId, requestId });
  }

  const redis = await connectTestRedis(service.url);
  onTestFinished(() => redis.disconnect());
  const keys = await redis.keys('*');
  // One row a node, which other nodes remove; the totals count from the first day of the fleet.
  const kept = new Set([nodesKey, heartbeatsKey]);
  for (const key of keys.filter((one) => !kept.has(one)))
    expect(await redis.pttl(key), `PTTL of ${key}`).not.toBe(-1);

  const { gate, buyers, outbox } = saleKeys(seckillId);
  for (const key of [gate, buyers, outbox]) {
    const expiresAt = Date.now() + (await redis.pttl(key));
    expect(Math.abs(expiresAt - endsAt - DAY_MS), key).toBeLessThan(1_000);
  }
});

describe('replays', () => {
  describe.each(saleEngines)('on $engines', ({ startStore, url, pglite }) => {
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
      return openCouponOn({ db: database.db, sale }, values);
    }
    const openClaim = () => openCoupon({ kind: 'claim', stock: null, priceCents: 0 });

    const confirmedOf = (couponId: string) => confirmedOrders(database.db, couponId);
    const settled = (couponId: string, count: number) => untilConfirmed(database.db, { couponId, count });
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
      await waitUntil(() => sale.ensureGate(couponId));
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
      await waitUntil(async () => (await left(couponId)) === 2);
      // The limiter has not charged the id, so the call is no replay.
      expect(await buy(couponId, 'ada', requestId)).toMatchObject(sameOrder(first));
      await waitUntil(async () => (await left(couponId)) === 2);
      expect(await sale.shopperOrders.byId({ userId: 'ada', id: order.id })).toMatchObject({
        status: 'cancelled',
      });
      // The gate is rebuilt if the ledger took the order back while it sold.
      await waitUntil(async () => (await buy(couponId, 'ada', randomUUID())).outcome === 'accepted');
      await settled(couponId, 1);
    });

    test('a claim whose request id has another order in the ledger is not made again', async () => {
      const couponId = await openClaim();
      const row = { couponId, userId: 'ada', onePerShopper: false, code: 'CODE', createdAt: new Date() };
      const requestId = randomUUID();
      await database.db.insert(orders).values({ ...row, id: requestId, status: 'confirmed', requestId });
      // The answer is the first order, or a reserved one where the ledger is slow.
      expect(await claim(couponId, 'ada', requestId)).toMatchObject({ outcome: 'accepted' });
      const ofAda = async () => (await sale.shopperOrders.list({ userId: 'ada' })).orders;
      await waitUntil(async () => (await ofAda()).every(({ status }) => status !== 'reserved'));
      expect(await confirmedOf(couponId)).toMatchObject([{ id: requestId }]);
      expect(
        await purchase({ kind: 'claim', couponId, userId: 'ada', requestId, isReplay: true }),
      ).toMatchObject({
        outcome: 'accepted',
        order: { id: requestId, status: 'confirmed' },
      });
    });
  });
});
