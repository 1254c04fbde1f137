import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { expectConsistentSale } from '../../../test/expect-consistent-sale';
import { lockCoupon } from '../../../test/ledger-lock';
import { connectTestRedis } from '../../../test/redis';
import { startTestSale } from '../../../test/sale';
import { startEmptyRedis } from '../../../test/services/empty-redis';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { coupons, orders } from '../../db/schema';
import { createMetrics, type Metrics } from '../../observability/metrics';
import { root } from '../../paths';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { Order } from '../order';
import type { PurchaseOutcome } from '../purchase';
import type { Sale } from '../sale';
import { createOutbox } from './outbox';

let database: TestDatabase;
let service: TestService;
let redis: RedisClient;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
});
afterAll(() => database.drop());
beforeEach(async () => {
  service = await startEmptyRedis();
  redis = await connectTestRedis(service.url);
});
afterEach(async () => {
  redis.disconnect();
  await service.stop();
});

async function startNode(
  options: { node?: string; lagBound?: { entries: number; ageMs: number }; metrics?: Metrics } = {},
) {
  const sale = await startTestSale({ db: database.db, redisUrl: service.url, ...options });
  onTestFinished(() => sale.stop());
  return sale;
}

const buy = (sale: Sale, couponId: string, userId: string) =>
  sale.purchase({ kind: 'seckill', couponId, userId, deadline: performance.now() + 280 });

/** Calls again, as a shopper does, while the sale is paused. */
const buyWithRetries = (sale: Sale, couponId: string, userId: string) =>
  waitUntil(async () => {
    const outcome = await buy(sale, couponId, userId);
    return outcome.outcome === 'paused' ? undefined : outcome;
  });

const ordersOf = async (sale: Sale, couponId: string, userId: string) =>
  (await sale.shopperOrders.list({ userId })).orders.filter((order) => order.couponId === couponId);

/** The shopper's only order of this coupon, once it has this status. */
const orderInTheEnd = (
  sale: Sale,
  { couponId, userId, status }: Pick<Order, 'couponId' | 'userId' | 'status'>,
) =>
  waitUntil(async () => {
    const [order, ...more] = await ordersOf(sale, couponId, userId);
    return more.length === 0 && order?.status === status && order;
  });

const remaining = async (couponId: string) => Number(await redis.hget(saleKeys(couponId).gate, 'remaining'));

const expectWhole = (couponId: string, seen: readonly string[] = []) =>
  expectConsistentSale({ db: database.db, redisUrl: service.url, couponId, seen });

const orderOf = (outcome: PurchaseOutcome) => {
  if (!('order' in outcome)) throw new Error(`no order, but ${outcome.outcome}`);
  return outcome.order;
};

/** Makes Postgres refuse rows until `lift` is called. */
async function refuseRows(rule: string): Promise<{ lift(): Promise<void> }> {
  const name = `refuse_${randomUUID().replaceAll('-', '')}`;
  await database.db.execute(sql.raw(`alter table orders add constraint ${name} check (${rule}) not valid`));
  const lift = () => database.db.execute(sql.raw(`alter table orders drop constraint if exists ${name}`));
  onTestFinished(async () => void (await lift()));
  return { lift: async () => void (await lift()) };
}

test('only the order that Postgres cannot write becomes a dead letter, and the rest of its batch is written', async () => {
  const sale = await startNode();
  const couponId = await insertCoupon(database.db);
  await buyWithRetries(sale, couponId, 'first');
  const lock = await lockCoupon(database.url, couponId);
  const names = [...Array.from({ length: 30 }, (_, n) => `shopper-${n}`), 'eve\u0000'];
  const outcomes = await Promise.all(names.map((name) => buy(sale, couponId, name)));
  await lock.release();

  const letters = await waitUntil(async () => {
    const found = (await sale.listDeadLetters()).filter((letter) => letter.couponId === couponId);
    return found.length > 0 && found;
  });
  const eves = orderOf(outcomes.at(-1) as PurchaseOutcome);
  // 22021: character not in repertoire.
  expect(letters).toMatchObject([{ orderId: eves.id, why: '22021' }]);
  await expectWhole(couponId);
  expect(await remaining(couponId)).toBe(50 - 31);
});

test('an order that Postgres refuses as confirmed is reported as cancelled, and its shopper may buy again', async () => {
  const sale = await startNode();
  const couponId = await insertCoupon(database.db);
  await buyWithRetries(sale, couponId, 'first');
  const refusal = await refuseRows(`user_id <> 'mallory' or status = 'cancelled'`);
  await buy(sale, couponId, 'mallory');
  const { id } = await orderInTheEnd(sale, { couponId, userId: 'mallory', status: 'cancelled' });
  expect(await sale.shopperOrders.byId({ userId: 'mallory', id })).toMatchObject({ status: 'cancelled' });
  // The wallet reads the gate, and the row follows.
  const row = await waitUntil(() => database.db.query.orders.findFirst({ where: eq(orders.id, id) }));
  expect(row).toMatchObject({ status: 'cancelled', confirmedAt: null });
  expect(await remaining(couponId)).toBe(49);

  await refusal.lift();
  const second = orderOf(await buyWithRetries(sale, couponId, 'mallory'));
  await waitUntil(
    async () => (await sale.shopperOrders.byId({ userId: 'mallory', id: second.id })).status === 'confirmed',
  );
  await expectWhole(couponId);
});

test('an order that Postgres refuses in every status is reported as cancelled from Redis', async () => {
  const sale = await startNode();
  const couponId = await insertCoupon(database.db);
  await buyWithRetries(sale, couponId, 'first');
  await refuseRows(`user_id <> 'trudy'`);
  await buy(sale, couponId, 'trudy');
  const { id } = await orderInTheEnd(sale, { couponId, userId: 'trudy', status: 'cancelled' });
  expect(await sale.shopperOrders.byId({ userId: 'trudy', id })).toMatchObject({ status: 'cancelled' });
  await expectWhole(couponId);
});

test('locked rows delay the orders of their own coupons only', async () => {
  const sale = await startNode();
  const locked = [await insertCoupon(database.db), await insertCoupon(database.db)];
  const free = await insertCoupon(database.db);
  for (const couponId of [...locked, free]) await buyWithRetries(sale, couponId, 'first');
  const locks = await Promise.all(locked.map((couponId) => lockCoupon(database.url, couponId)));
  const held = await Promise.all(locked.map((couponId) => buy(sale, couponId, 'ada')));
  expect(held.map((outcome) => orderOf(outcome).status)).toEqual(['reserved', 'reserved']);

  await buy(sale, free, 'ada');
  await waitUntil(async () =>
    (await ordersOf(sale, free, 'ada')).some(({ status }) => status === 'confirmed'),
  );
  expect((await ordersOf(sale, locked[0] ?? '', 'ada')).map(({ status }) => status)).toEqual(['reserved']);

  for (const lock of locks) await lock.release();
  for (const couponId of locked) await orderInTheEnd(sale, { couponId, userId: 'ada', status: 'confirmed' });
  for (const couponId of [...locked, free]) await expectWhole(couponId);
});

test('no order is lost while Postgres refuses every order: they are written later', async () => {
  const sale = await startNode();
  const couponId = await insertCoupon(database.db);
  await buyWithRetries(sale, couponId, 'first');
  await database.db.execute(sql`alter table orders rename column code to code_of_another_version`);
  const order = orderOf(await buy(sale, couponId, 'ada'));
  await waitUntil(() => sale.ledgerLagMs() > 3_500);
  await database.db.execute(sql`alter table orders rename column code_of_another_version to code`);
  await orderInTheEnd(sale, { couponId, userId: 'ada', status: 'confirmed' });
  expect((await sale.listDeadLetters()).filter((letter) => letter.couponId === couponId)).toEqual([]);
  await expectWhole(couponId, [order.id]);
});

test('a gate with more stock than the ledger does not oversell and is rebuilt', async () => {
  const sale = await startNode();
  const couponId = await insertCoupon(database.db, { stock: 2 });
  for (const name of ['ada', 'bob']) await buyWithRetries(sale, couponId, name);
  await redis.hset(saleKeys(couponId).gate, 'remaining', 5);
  await buy(sale, couponId, 'cleo');
  await orderInTheEnd(sale, { couponId, userId: 'cleo', status: 'cancelled' });
  await waitUntil(async () => (await remaining(couponId)) === 0);
  expect(await buyWithRetries(sale, couponId, 'dora')).toEqual({ outcome: 'sold-out' });
  await expectWhole(couponId);
});

test('entries are written in the order of their sale, and each order is reported once', async () => {
  const metrics = createMetrics();
  const sale = await startNode({ metrics });
  const couponId = await insertCoupon(database.db, { stock: 5_000 });
  await buyWithRetries(sale, couponId, 'first');
  const lock = await lockCoupon(database.url, couponId);
  const shoppers = Array.from({ length: 2_300 }, (_, index) => `shopper-${index}`);
  const deadline = performance.now() + 10_000;
  const outcomes = await Promise.all(
    shoppers.map((userId) => sale.purchase({ kind: 'seckill', couponId, userId, deadline })),
  );
  await lock.release();
  await expectWhole(
    couponId,
    outcomes.map((outcome) => orderOf(outcome).id),
  );

  const written = await database.db
    .select({ createdAt: orders.createdAt })
    .from(orders)
    .where(eq(orders.couponId, couponId))
    .orderBy(orders.confirmedAt, orders.createdAt);
  const instants = written.map(({ createdAt }) => createdAt.getTime());
  expect(instants).toHaveLength(shoppers.length + 1);
  expect(instants).toEqual(instants.toSorted((one, other) => one - other));
  expect(await metrics.text()).toMatch(/^floodgate_orders_total\{status="confirmed"\} 2301$/m);
});

test('an entry becomes a dead letter once, by any node, and its stock returns once', async () => {
  const sale = await startNode();
  const couponId = await insertCoupon(database.db);
  await buyWithRetries(sale, couponId, 'first');
  const lock = await lockCoupon(database.url, couponId);
  await buy(sale, couponId, 'ada');
  const [entry] = await redis.xrange(saleKeys(couponId).outbox, '-', '+');
  const outbox = createOutbox({ redis, group: 'ledger', consumer: 'other' });
  const deadLetter = () =>
    outbox.deadLetter(couponId, { entryId: entry?.[0] ?? '', userId: 'ada', why: 'a test' });
  expect(await Promise.all([deadLetter(), deadLetter(), deadLetter()])).toEqual([true, false, false]);
  expect(await remaining(couponId)).toBe(49);
  expect(await redis.xlen(saleKeys(couponId).dead)).toBe(1);
  await lock.release();
});

test('a malformed entry becomes a dead letter, and the orders behind it are written', async () => {
  const sale = await startNode();
  const couponId = await insertCoupon(database.db);
  await buyWithRetries(sale, couponId, 'first');
  await redis.xadd(saleKeys(couponId).outbox, '*', 'order', '', 'shopper', 'nobody');
  await buyWithRetries(sale, couponId, 'ada');
  await orderInTheEnd(sale, { couponId, userId: 'ada', status: 'confirmed' });
  await expectWhole(couponId);
  const letters = (await sale.listDeadLetters()).filter((letter) => letter.couponId === couponId);
  expect(letters).toMatchObject([{ why: 'is no order' }]);
});

test('dead letters are listed for days after their sale, also after a next round', async () => {
  const sale = await startNode();
  const couponId = await insertCoupon(database.db);
  await redis.xadd(saleKeys(couponId).dead, '*', 'why', 'a test', 'entry', '1-0');
  const endsAt = new Date(Date.now() - 6.5 * 24 * 60 * 60 * 1_000);
  const startsAt = new Date(endsAt.getTime() - 60_000);
  await database.db
    .update(coupons)
    .set({ startsAt, endsAt, nextRoundAt: endsAt, deadLetterAt: endsAt })
    .where(eq(coupons.id, couponId));
  const letters = (await sale.listDeadLetters()).filter((letter) => letter.couponId === couponId);
  expect(letters).toMatchObject([{ why: 'a test', entryId: '1-0' }]);
});

test('while the ledger is above its bound every node pauses, and then sells again without action', async () => {
  const lagBound = { entries: 1_000, ageMs: 1_000 };
  const metrics = createMetrics();
  const pausedCoupons = async () => /^floodgate_coupons_paused (\d+)$/m.exec(await metrics.text())?.[1];
  const nodes = [
    await startNode({ node: 'one', lagBound, metrics }),
    await startNode({ node: 'two', lagBound }),
  ];
  const couponId = await insertCoupon(database.db);
  const [one, two] = nodes as [Sale, Sale];
  await buyWithRetries(one, couponId, 'first');
  const lock = await lockCoupon(database.url, couponId);
  const promised = orderOf(await buy(one, couponId, 'ada'));
  expect(promised.status).toBe('reserved');

  for (const [name, node] of [
    ['one', one],
    ['two', two],
  ] as const) {
    let tries = 0;
    await waitUntil(async () => (await buy(node, couponId, `${name}-${tries++}`)).outcome === 'paused');
    await waitUntil(async () => {
      const { coupon } = await node.couponReader.byId(couponId, {
        language: 'en',
        deadline: performance.now() + 280,
      });
      return coupon.state === 'paused' && node.ledgerLagMs() > lagBound.ageMs;
    });
  }
  expect(await pausedCoupons()).toBe('1');
  await lock.release();
  for (const [index, node] of nodes.entries()) {
    expect(await buyWithRetries(node, couponId, `late-${index}`)).toMatchObject({ outcome: 'accepted' });
  }
  await expectWhole(couponId, [promised.id]);
  await waitUntil(async () => (await pausedCoupons()) === '0');
});

test('a node is killed between gate and ledger: another node writes its order, once', async () => {
  const couponId = await insertCoupon(database.db);
  const survivor = await startNode({ node: 'survivor' });
  await buyWithRetries(survivor, couponId, 'first');
  const lock = await lockCoupon(database.url, couponId);
  const doomed = fork(
    path.join(root, 'test/sale-process.ts'),
    [database.url, service.url, 'doomed', couponId, 'ada'],
    { execArgv: ['--import', 'tsx'] },
  );
  onTestFinished(() => void doomed.kill('SIGKILL'));
  const outcome = await new Promise<PurchaseOutcome>((resolve, reject) => {
    doomed.once('message', (message) => resolve(message as PurchaseOutcome)).once('error', reject);
  });
  const order = orderOf(outcome);
  expect(order.status).toBe('reserved');
  await waitUntil(async () => {
    const held = await redis.xpending(saleKeys(couponId).outbox, 'ledger', '-', '+', 10);
    return (held as [id: string, consumer: string][]).some(([, consumer]) => consumer === 'doomed');
  });
  const gone = new Promise((resolve) => doomed.once('exit', resolve));
  doomed.kill('SIGKILL');
  await gone;
  await lock.release();

  expect(await ordersOf(survivor, couponId, 'ada')).toMatchObject([{ id: order.id, status: 'reserved' }]);
  await orderInTheEnd(survivor, { couponId, userId: 'ada', status: 'confirmed' });
  await expectWhole(couponId, [order.id]);
});

test('an entry that was acked but not deleted does not pause the sale forever', async () => {
  const lagBound = { entries: 1_000, ageMs: 500 };
  const sale = await startNode({ lagBound });
  const couponId = await insertCoupon(database.db);
  await buyWithRetries(sale, couponId, 'first');
  const { outbox, gate } = saleKeys(couponId);
  const lock = await lockCoupon(database.url, couponId);
  const generation = (await redis.hget(gate, 'generation')) ?? '';
  const entry = { generation, order: randomUUID(), shopper: 'ada', code: 'C', request: '', at: Date.now() };
  const id = (await redis.xadd(outbox, '*', ...Object.entries(entry).flat())) ?? '';
  await redis.xreadgroup('GROUP', 'ledger', 'elder', 'STREAMS', outbox, '>');
  await redis.xack(outbox, 'ledger', id);
  await lock.release();
  await waitUntil(async () => (await redis.xlen(outbox)) === 0);
  expect(await ordersOf(sale, couponId, 'ada')).toMatchObject([{ status: 'confirmed' }]);
});

test('settled orders leave nothing in the outbox, so a long sale needs no more memory than a short one', async () => {
  const sale = await startNode();
  const couponId = await insertCoupon(database.db, { kind: 'claim', stock: null, priceCents: 0 });
  await waitUntil(() => sale.ensureGate(couponId));
  const { outbox, reservations } = saleKeys(couponId);
  const claimMany = async (round: number) => {
    for (let from = 0; from < 1_000; from += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          sale.purchase({
            kind: 'claim',
            couponId,
            userId: `shopper-${round}-${from + n}`,
            deadline: performance.now() + 5_000,
          }),
        ),
      );
    }
    await waitUntil(async () => (await redis.xlen(outbox)) === 0);
    return Number(await redis.memory('USAGE', outbox, 'SAMPLES', 0));
  };
  const short = await claimMany(0);
  for (let round = 1; round < 4; round++) await claimMany(round);
  expect(await claimMany(4)).toBeLessThanOrEqual(short + 1_024);
  expect(await redis.xpending(outbox, 'ledger')).toMatchObject([0, null, null, null]);
  expect(await redis.exists(reservations('shopper-0-0'))).toBe(0);
});
