import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { connectTestRedis } from '../../../test/redis';
import { startTestSale } from '../../../test/sale';
import { startEmptyRedis } from '../../../test/services/empty-redis';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { Sale } from '../sale';
import { AUDIT_SLICE } from './audit';
import { SLICE } from './due-gates';

/** Several slices. */
const GATES = 10 * SLICE;

let database: TestDatabase;
let redis: TestService;
let client: RedisClient;
let sale: Sale;

beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
  redis = await startEmptyRedis();
  client = await connectTestRedis(redis.url);
  const id = await insertCoupon(database.db, { id: 'coupon-0' });
  // Changed long ago: a new coupon is read in each sweep for 10 s.
  await database.db.execute(sql`
    insert into coupons (id, merchant_id, kind, title, face_value_cents, price_cents, stock, starts_at, ends_at, gate_changed_at)
    select 'coupon-' || n, merchant_id, kind, title, face_value_cents, price_cents, stock, starts_at,
      ends_at + n * interval '1 second', now() - interval '1 hour'
    from coupons, generate_series(1, ${GATES - 1}::int) n where id = ${id}`);
  sale = await startTestSale({ db: database.db, redisUrl: redis.url });
}, 60_000);
afterAll(async () => {
  await sale.stop();
  client.disconnect();
  await Promise.all([redis.stop(), database.drop()]);
});

const openGates = async () => (await client.keys(saleKeys('*').gate.replace('%2A', '*'))).length;

async function countCalls(): Promise<number> {
  const stats = await client.info('commandstats');
  return [...stats.matchAll(/^cmdstat_(?:hmget|xrange|evalsha):calls=(\d+)/gm)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}

test('an idle node reads a slice of the gates per second, not all', { timeout: 60_000 }, async () => {
  expect(await openGates()).toBe(GATES);
  let before = Number.NEGATIVE_INFINITY;
  // Opened gates count as changed for seconds.
  await waitUntil(
    async () => {
      const calls = await countCalls();
      // In two seconds: three sweeps of the gates, three of the outboxes, and an audit, which reads its gates twice.
      const isIdle = calls - before <= 6 * SLICE + 2 * AUDIT_SLICE;
      before = calls;
      return isIdle;
    },
    { timeout: 50_000, interval: 2_000 },
  );
});

test('a gate that is lost without a notification is rebuilt, wherever it is in the list', async () => {
  const { gate } = saleKeys(`coupon-${GATES - 1}`);
  await client.del(gate);
  await waitUntil(async () => (await client.exists(gate)) === 1, { timeout: 15_000 });
});

test('an emptied Redis has all gates again', { timeout: 40_000 }, async () => {
  await client.flushall();
  await waitUntil(async () => (await openGates()) === GATES, { timeout: 30_000 });
  const outcome = await sale.purchase({
    ...{ kind: 'seckill', couponId: `coupon-${GATES - 1}`, userId: 'ada' },
    deadline: performance.now() + 280,
  });
  expect(outcome.outcome).toBe('accepted');
});
