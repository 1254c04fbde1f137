import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { insertCoupon } from '../test/coupons';
import { freshDatabase, type TestDatabase } from '../test/database';
import { connectTestRedis, freshPrefix } from '../test/redis';
import { startTestSale } from '../test/sale';
import { type SentinelRedis, startSentinelRedis } from '../test/services/redis-sentinel';
import { postgresUrl } from '../test/services/worker-services';
import { waitUntil } from '../test/wait-until';
import { AppError } from './errors';
import { createLimiter, resolvePolicy } from './limiter/index';
import { ioredisStore } from './limiter/stores';
import { connectRedis } from './redis/client';
import type { PurchaseOutcome } from './sale/purchase';
import type { Sale } from './sale/sale';

let redis: SentinelRedis;
let database: TestDatabase;

beforeAll(async () => {
  [redis, database] = await Promise.all([startSentinelRedis(), freshDatabase(await postgresUrl())]);
});
afterAll(async () => {
  await database?.drop();
  await redis?.stop();
});

const confirmedOf = (couponId: string) =>
  database.db.query.orders.findMany({
    where: (row, { and, eq }) => and(eq(row.couponId, couponId), eq(row.status, 'confirmed')),
  });

test('Sentinels that do not know the name stop the start, with the addresses and the fix', async () => {
  const url = redis.url.replace('/main', '/other');
  await expect(connectRedis([url], () => undefined)).rejects.toThrow(
    /No Redis answers at redis\+sentinel:.*\/other/,
  );
});

test('a failover in the middle of a sale: 50 confirmed orders, one each, and the limiter decides on the new primary', async () => {
  const client = await connectTestRedis(redis.url);
  onTestFinished(() => client.disconnect());
  const limiter = createLimiter({
    store: ioredisStore(client),
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
    timeoutMs: 5_000,
  });
  const policy = resolvePolicy(
    { levels: [{ level: 'global', limit: 3, windowMs: 600_000 }], message: { en: 'Too many.' } },
    'failover',
  );
  const decide = () => limiter.decide(policy, { subjects: {} });
  expect(await decide()).toMatchObject({ allowed: true });
  // A primary acknowledges before its replica has the write.
  expect(await client.call('WAIT', '1', '5000')).toBe(1);

  const couponId = await insertCoupon(database.db);
  const sale = await startTestSale({ db: database.db, redisUrl: redis.url, nodeName: 'seller' });
  onTestFinished(() => sale.stop());
  await waitUntil(() => sale.ensureGate(couponId));
  const before = await redis.primaryPort();
  const first = await Promise.all(
    Array.from({ length: 20 }, (_, n) => buyWithRetries(sale, couponId, `early-${n}`)),
  );
  const inFlight = Array.from({ length: 15 }, (_, n) => buyWithRetries(sale, couponId, `shopper-${n}`));
  await redis.killPrimary();
  const later = Array.from({ length: 65 }, (_, n) => buyWithRetries(sale, couponId, `later-${n}`));
  await Promise.all([...inFlight, ...later]);
  expect(await redis.primaryPort()).not.toBe(before);
  // Orders that the replica had not received were at most reserved for their shopper, and are on sale again, some of them
  // only after the gate was rebuilt.
  let late = 0;
  await waitUntil(
    async () => {
      late += 1;
      await buyWithRetries(sale, couponId, `late-${late}`);
      return (await confirmedOf(couponId)).length === 50;
    },
    { timeout: 40_000, interval: 50 },
  );
  const confirmed = await confirmedOf(couponId);
  expect(new Set(confirmed.map(({ userId }) => userId)).size).toBe(50);
  const inLedger = new Set(confirmed.map(({ id }) => id));
  for (const outcome of first) {
    if ('order' in outcome && outcome.order.status === 'confirmed')
      expect(inLedger).toContain(outcome.order.id);
  }

  const decisions = await waitUntil(
    () => Promise.all(Array.from({ length: 20 }, decide)).catch(() => undefined),
    { interval: 100 },
  );
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(2);
}, 120_000);

/** Calls again, as a shopper does, while the answer is that the sale is paused or cannot be reached. */
function buyWithRetries(sale: Sale, couponId: string, userId: string): Promise<PurchaseOutcome> {
  return waitUntil(
    async () => {
      // Long enough for 65 buyers at once on a busy machine.
      const deadline = performance.now() + 2_000;
      const outcome = await sale
        .purchase({ kind: 'seckill', couponId, userId, deadline })
        .catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') return undefined;
          throw error;
        });
      return outcome && outcome.outcome !== 'paused' ? outcome : undefined;
    },
    { timeout: 60_000, interval: 200 },
  );
}
