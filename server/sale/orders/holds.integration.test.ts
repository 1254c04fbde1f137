import { randomUUID } from 'node:crypto';
import { eq, isNotNull, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { emptySales, freshDatabase, type TestDatabase } from '../../../test/database';
import { databases } from '../../../test/databases';
import { createTestProvider, type TestProvider } from '../../../test/payment-provider';
import { connectTestRedis } from '../../../test/redis';
import { startTestSale } from '../../../test/sale';
import { startEmptyRedis } from '../../../test/services/empty-redis';
import { startRedis } from '../../../test/services/redis';
import type { TestService } from '../../../test/services/test-service';
import { redisUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { coupons, orderRequests, orders, payments } from '../../db/schema';
import { StoreUnavailableError } from '../../limiter/index';
import { saleKeys } from '../../redis/keys';
import { createRestock } from '../gate/restock';
import type { Order } from '../order';
import type { Sale } from '../sale';
import { createHolds } from './holds';
import { createPayments } from './payments';

test('a gate is restocked once, not before its generation is open, and not for an order that it never counted', async () => {
  const store = await connectTestRedis(await redisUrl());
  const couponId = `coupon-${randomUUID()}`;
  const { gate, buyers } = saleKeys(couponId);
  const restock = createRestock({ redis: store });
  const compensate = (generation: number) => restock({ couponId, userId: 'ada', orderId: 'one', generation });
  expect(await compensate(3), 'no gate').toBe(false);
  await store.hset(gate, { generation: 3, remaining: 7 });
  await store.hset(buyers, { ada: 'one 1' });
  expect(await compensate(4), 'a gate that is about to be replaced').toBe(false);
  expect(await compensate(2), 'a gate that was opened later').toBe(true);
  expect(await store.hget(gate, 'remaining')).toBe('7');
  expect([await compensate(3), await compensate(3)]).toEqual([true, true]);
  expect(await store.hgetall(gate)).toMatchObject({ remaining: '8' });
  expect(await store.exists(buyers)).toBe(0);
  await store.hset(buyers, { ada: 'two 2' });
  expect(await compensate(3), 'an order that was bought since').toBe(true);
  expect(await store.hget(gate, 'remaining')).toBe('8');
  await store.quit();
});

describe.each(databases)('orders on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  let redis: TestService;
  let provider: TestProvider;
  let sale: Sale;

  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await emptySales(database.db);
    provider = createTestProvider();
    redis = await startEmptyRedis();
    sale = await startTestSale({
      db: database.db,
      calls: database.calls,
      redisUrl: redis.url,
      connectProvider: provider.connect,
    });
  });
  afterEach(async () => {
    await sale.stop();
    await redis.stop();
  });

  /** Buys, as a shopper does who tries again while the sale is paused, and waits until it is confirmed. */
  async function bought(couponId: string, userId = 'ada'): Promise<Order> {
    const id = await waitUntil(async () => {
      const reply = await sale.purchase({
        kind: 'seckill',
        couponId,
        userId,
        deadline: performance.now() + 280,
      });
      return reply.outcome === 'accepted' ? reply.order.id : undefined;
    });
    return waitUntil(async () => {
      const order = await orderOf({ id, userId });
      return order.status === 'reserved' ? undefined : order;
    });
  }

  const orderOf = ({ id, userId }: Pick<Order, 'id' | 'userId'>) => sale.shopperOrders.byId({ id, userId });
  const statusOf = async (order: Pick<Order, 'id' | 'userId'>) => (await orderOf(order)).status;
  const becomes = (order: Order, status: Order['status']) =>
    waitUntil(async () => (await statusOf(order)) === status);
  const pay = (order: Order, requestId?: string) => sale.pay(order, { method: 'approves', requestId });

  /** The stock left in the gate and in the ledger. Both are equal once no entry is pending. */
  async function leftOf(couponId: string) {
    const row = await database.db.query.coupons.findFirst({ where: eq(coupons.id, couponId) });
    const [listed] = await sale.readStock([couponId]);
    return { ledger: (row?.stock ?? 0) - (row?.sold ?? 0), gate: listed?.remaining };
  }
  const left = (couponId: string, count: number) =>
    vi.waitFor(async () => expect(await leftOf(couponId)).toEqual({ ledger: count, gate: count }), {
      timeout: 25_000,
      interval: 50,
    });
  const nothingOwed = () =>
    waitUntil(
      async () =>
        (await database.db.select().from(orders).where(sql`${orders.compensationGeneration} is not null`))
          .length === 0,
    );
  const paymentsOf = ({ id }: Order) =>
    database.db.query.payments.findMany({ where: eq(payments.orderId, id) });
  /** Expires the hold of an order. */
  const passHold = ({ id }: Order) =>
    database.db.update(orders).set({ holdUntil: sql`now() - interval '1 ms'` }).where(eq(orders.id, id));
  /** Makes every pending payment due for another status request. */
  const queryNow = () => database.db.update(payments).set({ nextQueryAt: sql`now()` });
  /** Makes every requested refund due for another attempt. */
  const refundNow = () =>
    database.db.update(payments).set({ refundAgainAt: sql`now()` }).where(isNotNull(payments.refundAgainAt));
  const refundOf = async (order: Order) =>
    (await sale.refunds.listDue()).find(({ orderId }) => orderId === order.id);

  /** An order that expired while its payment was under way, and was approved afterwards. */
  async function paidTooLate(): Promise<{ order: Order; paymentId: string }> {
    const order = await bought(await insertCoupon(database.db));
    provider.decide('silent');
    await pay(order);
    await passHold(order);
    await becomes(order, 'expired');
    const [payment] = await paymentsOf(order);
    const paymentId = payment?.id ?? '';
    await provider.notify(paymentId, 'approved');
    await provider.notify(paymentId, 'approved');
    return { order, paymentId };
  }

  describe('a hold', () => {
    test('lasts fifteen minutes from the confirmation, or as long as the coupon says', async () => {
      const usual = await bought(await insertCoupon(database.db));
      const short = await bought(await insertCoupon(database.db, { holdMs: 60_000 }), 'bob');
      const lasts = ({ holdUntil = 0, confirmedAt = 0 }: Order) => holdUntil - confirmedAt;
      expect([lasts(usual), lasts(short)]).toEqual([900_000, 60_000]);
    });

    test('that ends unpaid expires the order: its stock is on sale again, and the shopper may buy again', async () => {
      const couponId = await insertCoupon(database.db, { stock: 1, holdMs: 400 });
      const first = await bought(couponId);
      await becomes(first, 'expired');
      await left(couponId, 1);
      const again = await bought(couponId);
      expect(again.id).not.toBe(first.id);
      await becomes(again, 'expired');
      await left(couponId, 1);
    });

    test('of each of many orders ends once, on two nodes', async () => {
      const other = await startTestSale({ db: database.db, redisUrl: redis.url, nodeName: 'other' });
      const couponId = await insertCoupon(database.db, { stock: 30 });
      const all: Order[] = [];
      for (let n = 0; n < 20; n++) all.push(await bought(couponId, `shopper-${n}`));
      await database.db.update(orders).set({ holdUntil: sql`now()` }).where(eq(orders.couponId, couponId));
      for (const order of all) await becomes(order, 'expired');
      await left(couponId, 30);
      await other.stop();
    });

    test('does not exist without a price: such an order is final when it is confirmed', async () => {
      const order = await bought(await insertCoupon(database.db, { priceCents: 0 }));
      expect(order).toMatchObject({ status: 'confirmed' });
      expect(order.holdUntil).toBeUndefined();
      await expect(pay(order)).rejects.toMatchObject({ code: 'CONFLICT', message: /nothing to pay/ });
      await expect(sale.cancel(order, undefined)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(provider.chargeCalls()).toBe(0);
    });

    test('of a claim ends too, without stock to return', async () => {
      const couponId = await insertCoupon(database.db, { kind: 'claim', stock: null, holdMs: 200 });
      await waitUntil(() => sale.ensureGate(couponId));
      const reply = await sale.purchase({
        kind: 'claim',
        couponId,
        userId: 'ada',
        deadline: performance.now() + 280,
      });
      if (!('order' in reply)) throw new Error(`the claim was ${reply.outcome}`);
      await becomes(reply.order, 'expired');
      await nothingOwed();
    });
  });

  describe('cancelling', () => {
    test('returns the stock at once, and the shopper may buy again', async () => {
      const couponId = await insertCoupon(database.db, { stock: 2 });
      const order = await bought(couponId);
      expect(await leftOf(couponId)).toEqual({ ledger: 1, gate: 1 });
      await sale.cancel(order, undefined);
      expect(await statusOf(order)).toBe('cancelled');
      expect(await leftOf(couponId)).toEqual({ ledger: 2, gate: 2 });
      expect((await bought(couponId)).id).not.toBe(order.id);
    });

    test('an order of a sold-out coupon puts it on sale again', async () => {
      const couponId = await insertCoupon(database.db, { stock: 1 });
      const order = await bought(couponId);
      await sale.cancel(order, undefined);
      await bought(couponId, 'bob');
      const row = await database.db.query.coupons.findFirst({ where: eq(coupons.id, couponId) });
      expect(row).toMatchObject({ sold: 1, soldOutAt: expect.any(Date) });
    });

    test('five times at once ends the order once, and the other calls get a conflict', async () => {
      const couponId = await insertCoupon(database.db, { stock: 3 });
      const order = await bought(couponId);
      const calls = await Promise.allSettled(Array.from({ length: 5 }, () => sale.cancel(order, undefined)));
      const codes = calls.map((call) => (call.status === 'fulfilled' ? 'cancelled' : call.reason.code));
      expect(codes.sort()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT', 'cancelled']);
      await left(couponId, 3);
    });

    test('under one request id, five times at once: the same reply to all, and the stock returns once', async () => {
      const couponId = await insertCoupon(database.db, { stock: 3 });
      const order = await bought(couponId);
      const requestId = randomUUID();
      await Promise.all(Array.from({ length: 5 }, () => sale.cancel(order, requestId)));
      await sale.cancel(order, requestId);
      await left(couponId, 3);
    });

    test('with the request id of another order is a conflict and changes nothing; a day later it is new', async () => {
      const one = await bought(await insertCoupon(database.db));
      const other = await bought(await insertCoupon(database.db));
      const requestId = randomUUID();
      await sale.cancel(one, requestId);
      await expect(sale.cancel(other, requestId)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: /requestId/,
      });
      expect(await statusOf(other)).toBe('confirmed');
      await left(other.couponId, 49);
      await database.db
        .update(orderRequests)
        .set({ createdAt: sql`now() - interval '25 hours'` })
        .where(eq(orderRequests.requestId, requestId));
      await sale.cancel(other, requestId);
      expect(await statusOf(other)).toBe('cancelled');
    });

    test('an order with a pending payment is a conflict; after the card is declined it is cancelled', async () => {
      const order = await bought(await insertCoupon(database.db));
      provider.decide('silent');
      await pay(order);
      const requestId = randomUUID();
      for (const id of [undefined, requestId]) {
        await expect(sale.cancel(order, id)).rejects.toMatchObject({
          code: 'CONFLICT',
          message: /payment .* under way/,
        });
      }
      expect(await orderOf(order)).toMatchObject({ status: 'confirmed', payment: 'pending' });
      await left(order.couponId, 49);
      const [payment] = await paymentsOf(order);
      await provider.notify(payment?.id ?? '', 'declined');
      await sale.cancel(order, requestId);
      expect(await statusOf(order)).toBe('cancelled');
      await left(order.couponId, 50);
    });

    test('a paid order is a conflict', async () => {
      const order = await bought(await insertCoupon(database.db));
      await pay(order);
      await expect(sale.cancel(order, undefined)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: /paid/,
      });
      await left(order.couponId, 49);
    });
  });

  describe('the stock returns once', () => {
    /** Ends an order in Postgres as a node does that dies before it comes to the gate. */
    const dieAfterCancelling = (order: Order) =>
      createHolds({
        db: database.db,
        runChange: database.calls.runChange,
        restock: () => Promise.reject(new StoreUnavailableError('this node is dead')),
        onEnded: () => undefined,
      }).cancel(order, undefined);

    test('if the node dies between Postgres and the gate: another node finishes', async () => {
      const couponId = await insertCoupon(database.db, { stock: 2 });
      const order = await bought(couponId);
      await dieAfterCancelling(order);
      await left(couponId, 2);
      await nothingOwed();
      expect((await bought(couponId)).id).not.toBe(order.id);
    });

    test('if the node dies after the gate was restocked and before that is recorded', async () => {
      const couponId = await insertCoupon(database.db, { stock: 2 });
      const order = await bought(couponId);
      await sale.cancel(order, undefined);
      const { generation } = (await database.db.query.coupons.findFirst({
        where: eq(coupons.id, couponId),
      })) ?? { generation: 0 };
      await database.db
        .update(orders)
        .set({ compensationGeneration: generation })
        .where(eq(orders.id, order.id));
      await nothingOwed();
      expect(await leftOf(couponId)).toEqual({ ledger: 2, gate: 2 });
    });

    test('if the gate is lost and rebuilt from a ledger that has the stock already', async () => {
      const couponId = await insertCoupon(database.db, { stock: 5 });
      const order = await bought(couponId);
      await bought(couponId, 'bob');
      await dieAfterCancelling(order);
      const store = await connectTestRedis(redis.url);
      await store.flushall();
      await store.quit();
      await nothingOwed();
      await left(couponId, 4);
    });

    test('if Redis is down during the cancellation', async () => {
      const couponId = await insertCoupon(database.db, { stock: 5 });
      const order = await bought(couponId);
      const { port } = redis;
      await redis.kill();
      await sale.cancel(order, undefined);
      expect(await statusOf(order)).toBe('cancelled');
      redis = await startRedis({ port });
      await left(couponId, 5);
      await nothingOwed();
    });

    test('and after the sale and its gate have ended, no stock compensation remains', async () => {
      const couponId = await insertCoupon(database.db, { stock: 5 });
      const order = await bought(couponId);
      await database.db.update(coupons).set({ endsAt: sql`now()` }).where(eq(coupons.id, couponId));
      const store = await connectTestRedis(redis.url);
      await store.flushall();
      await store.quit();
      await dieAfterCancelling(order);
      await nothingOwed();
    });
  });

  describe('paying', () => {
    test('takes the money once and pays the order', async () => {
      const order = await bought(await insertCoupon(database.db, { priceCents: 1_234 }));
      await pay(order);
      expect(await orderOf(order)).toMatchObject({ status: 'paid', payment: 'approved', code: order.code });
      expect([...provider.taken.values()]).toEqual([1_234]);
    });

    test('two and ten concurrent payments pay once', async () => {
      const order = await bought(await insertCoupon(database.db));
      await Promise.allSettled(Array.from({ length: 10 }, () => pay(order)));
      expect(await statusOf(order)).toBe('paid');
      expect(provider.taken.size).toBe(1);
      expect((await paymentsOf(order)).map(({ status }) => status)).toEqual(['approved']);
      await expect(pay(order)).rejects.toMatchObject({ code: 'CONFLICT', message: /paid/ });
    });

    test('under one request id, concurrent and repeated: the same order, paid once', async () => {
      const order = await bought(await insertCoupon(database.db));
      const requestId = randomUUID();
      await Promise.all(Array.from({ length: 5 }, () => pay(order, requestId)));
      await pay(order, requestId);
      expect(await statusOf(order)).toBe('paid');
      expect(provider.taken.size).toBe(1);
    });

    test('with a request id of another order or another card is a conflict', async () => {
      const one = await bought(await insertCoupon(database.db));
      const other = await bought(await insertCoupon(database.db));
      const requestId = randomUUID();
      await pay(one, requestId);
      await expect(pay(other, requestId)).rejects.toMatchObject({ code: 'CONFLICT', message: /requestId/ });
      await expect(sale.pay(one, { method: 'declines', requestId })).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      expect(await statusOf(other)).toBe('confirmed');
      expect(provider.taken.size).toBe(1);
    });

    test('declined: the hold stays, the replay returns the same, and another attempt may be approved', async () => {
      const order = await bought(await insertCoupon(database.db));
      provider.decide('declined');
      const requestId = randomUUID();
      await pay(order, requestId);
      expect(await orderOf(order)).toMatchObject({ status: 'confirmed', payment: 'declined' });
      provider.decide('approved');
      await pay(order, requestId);
      expect(await orderOf(order)).toMatchObject({ status: 'confirmed', payment: 'declined' });
      await pay(order, randomUUID());
      expect(await orderOf(order)).toMatchObject({ status: 'paid', payment: 'approved' });
      expect((await orderOf(order)).holdUntil).toBe(order.holdUntil);
    });

    test('the provider times out, then approves: the order is paid without another call', async () => {
      const order = await bought(await insertCoupon(database.db));
      provider.decide('silent');
      await pay(order);
      expect(await orderOf(order)).toMatchObject({ status: 'confirmed', payment: 'pending' });
      const [payment] = await queryNow().returning();
      const isChecked = async () =>
        (await paymentsOf(order))[0]?.nextQueryAt.getTime() !== payment?.nextQueryAt.getTime();
      await waitUntil(isChecked);
      expect(await statusOf(order)).toBe('confirmed');
      provider.settle('approved');
      await queryNow();
      await becomes(order, 'paid');
      expect(provider.taken.size).toBe(1);
    });

    test('a charge that never reached the provider is sent again with the same key', async () => {
      const order = await bought(await insertCoupon(database.db));
      provider.decide('lost');
      await pay(order);
      expect(provider.taken.size).toBe(0);
      provider.decide('approved');
      await queryNow();
      await becomes(order, 'paid');
      expect([...provider.taken.keys()]).toEqual((await paymentsOf(order)).map(({ id }) => id));
    });

    test('a charge that never reached the provider is not sent again after the order has ended', async () => {
      const order = await bought(await insertCoupon(database.db));
      provider.decide('lost');
      await pay(order);
      await passHold(order);
      await becomes(order, 'expired');
      provider.decide('approved');
      await queryNow();
      await waitUntil(async () => (await paymentsOf(order))[0]?.status === 'declined');
      expect(provider.taken.size).toBe(0);
    });

    test('the provider sends a second, contrary outcome: the first one stays', async () => {
      const order = await bought(await insertCoupon(database.db));
      await pay(order);
      const [payment] = await paymentsOf(order);
      await provider.notify(payment?.id ?? '', 'approved');
      await provider.notify(payment?.id ?? '', 'declined');
      expect(await orderOf(order)).toMatchObject({ status: 'paid', payment: 'approved' });
      expect(await sale.refunds.listDue()).toEqual([]);
    });

    test('after the hold is refused without a charge', async () => {
      const order = await bought(await insertCoupon(database.db));
      await passHold(order);
      await expect(pay(order)).rejects.toMatchObject({ code: 'CONFLICT', message: /in time/ });
      await becomes(order, 'expired');
      await expect(pay(order)).rejects.toMatchObject({ code: 'CONFLICT', message: /expired/ });
      expect(provider.chargeCalls()).toBe(0);
    });

    test('a refund is requested until the provider replies, and sent once', async () => {
      provider.decideRefunds('lost');
      const { order, paymentId } = await paidTooLate();
      expect(await orderOf(order)).toMatchObject({ status: 'expired', payment: 'refund-due' });
      const { id: orderId, couponId, userId } = order;
      expect(await refundOf(order)).toMatchObject({
        ...{ paymentId, orderId, couponId, userId, amountCents: 990, byHand: false },
      });
      await left(couponId, 50);
      await waitUntil(() => provider.refundCalls() > 0);
      await expect(
        sale.refunds.markSent({ paymentId, who: 'ada' }),
        'the provider may send it at any time',
      ).rejects.toMatchObject({ code: 'CONFLICT' });

      provider.decideRefunds('silent');
      await refundNow();
      await waitUntil(() => provider.returned.size > 0);
      expect(await orderOf(order), 'the answer was lost').toMatchObject({ payment: 'refund-due' });
      provider.decideRefunds('sent');
      await refundNow();
      await waitUntil(async () => (await orderOf(order)).payment === 'refunded');
      expect([...provider.returned]).toEqual([[paymentId, 990]]);
      expect(await refundOf(order)).toBeUndefined();
      await provider.notify(paymentId, 'approved');
      expect(await orderOf(order)).toMatchObject({ status: 'expired', payment: 'refunded' });
    });

    test('five concurrent jobs request a refund once', async () => {
      provider.decideRefunds('lost');
      const { order } = await paidTooLate();
      await waitUntil(() => provider.refundCalls() > 0);
      provider.decideRefunds('sent');
      const callsBefore = provider.refundCalls();
      await refundNow();
      await Promise.all(Array.from({ length: 5 }, () => sale.refunds.sweepRefunds()));
      await waitUntil(async () => (await orderOf(order)).payment === 'refunded');
      expect(provider.refundCalls()).toBe(callsBefore + 1);
    });

    test('a refund that the provider declines is sent by hand, and only the first mark counts', async () => {
      provider.decideRefunds('declined');
      const { order, paymentId } = await paidTooLate();
      await waitUntil(async () => (await refundOf(order))?.byHand);
      const callsBefore = provider.refundCalls();
      await refundNow();
      await sale.refunds.sweepRefunds();
      expect(provider.refundCalls(), 'it is not requested again').toBe(callsBefore);

      const markSent = (who: string) => sale.refunds.markSent({ paymentId, who, why: 'bank 4711' });
      await Promise.all(['ada', 'bob', 'cleo'].map(markSent));
      await provider.notify(paymentId, 'approved');
      await provider.notify(paymentId, 'declined');
      expect(await orderOf(order)).toMatchObject({ status: 'expired', payment: 'refunded' });
      expect(await refundOf(order)).toBeUndefined();
      const records = await database.db.query.auditLog.findMany({
        where: (row, { eq: is }) => is(row.target, paymentId),
      });
      const facts = { orderId: order.id, amountCents: 990 };
      expect(records).toMatchObject([
        {
          ...{ who: expect.stringMatching(/^(ada|bob|cleo)$/), what: 'refund.markSent', why: 'bank 4711' },
          before: { ...facts, status: 'refund-due' },
          after: { ...facts, status: 'refunded' },
        },
      ]);
    });

    test('a refund that failed twelve times is left to a person', async () => {
      provider.decideRefunds('lost');
      const { order } = await paidTooLate();
      await waitUntil(() => provider.refundCalls() > 0);
      expect(await refundOf(order)).toMatchObject({ byHand: false, attempts: 1 });
      await database.db.update(payments).set({ refundAttempts: 11 }).where(eq(payments.orderId, order.id));
      await refundNow();
      await waitUntil(async () => (await refundOf(order))?.byHand);
      expect(await refundOf(order)).toMatchObject({ attempts: 12 });
    });

    test('a refund that is not due, or of an unknown payment, cannot be marked as sent', async () => {
      const order = await bought(await insertCoupon(database.db));
      await pay(order);
      const [payment] = await paymentsOf(order);
      const markSent = (paymentId: string) => sale.refunds.markSent({ paymentId, who: 'ada' });
      await expect(markSent('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(markSent(payment?.id ?? '')).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await orderOf(order)).toMatchObject({ status: 'paid', payment: 'approved' });
    });

    test('and expiry at once: one wins, and the stock is right', async () => {
      const couponId = await insertCoupon(database.db, { stock: 20 });
      const all: Order[] = [];
      for (let n = 0; n < 10; n++) all.push(await bought(couponId, `shopper-${n}`));
      await Promise.allSettled(all.flatMap((order, n) => [pay(order), ...(n % 2 ? [passHold(order)] : [])]));
      await waitUntil(async () => {
        const statuses = await Promise.all(all.map(statusOf));
        return statuses.every((status, n) => status === 'paid' || (status === 'expired' && n % 2 === 1));
      });
      const paid = (await Promise.all(all.map(statusOf))).filter((status) => status === 'paid');
      await left(couponId, 20 - paid.length);
      const money = await Promise.all(all.map(paymentsOf));
      expect(money.flat().filter(({ status }) => status === 'approved')).toHaveLength(paid.length);
    });

    test('and cancelling at once: one wins, and the stock is right', async () => {
      const couponId = await insertCoupon(database.db, { stock: 20 });
      const all: Order[] = [];
      for (let n = 0; n < 10; n++) all.push(await bought(couponId, `shopper-${n}`));
      await Promise.allSettled(all.flatMap((order) => [pay(order), sale.cancel(order, undefined)]));
      const statuses = await Promise.all(all.map(statusOf));
      const paid = statuses.filter((status) => status === 'paid');
      expect(statuses.filter((status) => status === 'cancelled')).toHaveLength(10 - paid.length);
      await left(couponId, 20 - paid.length);
      expect(provider.taken.size, 'no money was taken of a cancelled order').toBe(paid.length);
      expect(await sale.refunds.listDue()).toEqual([]);
    });

    test('without a payment provider is refused and leaves the order as it is', async () => {
      const order = await bought(await insertCoupon(database.db));
      const without = createPayments({
        db: database.db,
        runChange: database.calls.runChange,
        connectProvider: undefined,
        onPaid: () => undefined,
        onRefundDue: () => undefined,
        log: { warn: () => undefined },
      });
      await expect(without.pay(order, { method: 'approves' })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: /not set up/,
      });
      expect(await paymentsOf(order)).toEqual([]);
    });
  });
});
