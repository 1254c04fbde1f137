import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilConfirmed } from '../../../test/confirmed-orders';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { startTestSale } from '../../../test/sale';
import { startEmptyRedis } from '../../../test/services/empty-redis';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { createCallQueue } from '../../db/call-queue';
import { type CallAccess, MAX_WAITING_CHANGES } from '../../db/client';
import type { Sale } from '../sale';

let database: TestDatabase;
let redis: TestService;
beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
  redis = await startEmptyRedis();
});
afterAll(async () => {
  await redis.stop();
  await database.drop();
});

async function withSale(calls: CallAccess, run: (sale: Sale) => Promise<void>): Promise<void> {
  const sale = await startTestSale({ db: database.db, calls, redisUrl: redis.url });
  try {
    await run(sale);
  } finally {
    await sale.stop();
  }
}

/** Buys a coupon for each of these shoppers at once, and returns what cancels the order of each, as `order.cancel` does. */
async function buyForAll(sale: Sale, count: number): Promise<(() => Promise<string>)[]> {
  const couponId = await insertCoupon(database.db, { stock: count });
  const userIds = Array.from({ length: count }, (_, index) => `shopper-${index}`);
  const ids = await Promise.all(
    userIds.map((userId) =>
      waitUntil(async () => {
        const deadline = performance.now() + 2_000;
        const reply = await sale.purchase({ kind: 'seckill', couponId, userId, deadline });
        return 'order' in reply ? reply.order.id : undefined;
      }),
    ),
  );
  await untilConfirmed(database.db, { couponId, count });
  return ids.map((id, index) => async () => {
    const order = { userId: userIds[index] ?? '', id };
    await sale.cancel(await sale.ordersToChange.byId(order), undefined);
    return (await sale.ordersToChange.byId(order)).status;
  });
}

test('all orders of a full window are cancelled at once, also with a raised limit', async () => {
  // The queue of the product, without its time limit, which a busy machine exceeds.
  const runChange = createCallQueue({ permits: 3, maxWaiting: MAX_WAITING_CHANGES, maxWaitMs: 60_000 });
  await withSale({ ...database.calls, runChange }, async (sale) => {
    const cancellations = await buyForAll(sale, 406);
    const statuses = await Promise.all(cancellations.map((cancel) => cancel()));
    expect(statuses.filter((status) => status === 'cancelled')).toHaveLength(406);
  });
});

test('a flood of reads refuses no change', async () => {
  const { calls } = database;
  await withSale(calls, async (sale) => {
    const [cancel] = await buyForAll(sale, 1);
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('select pg_advisory_lock(1)');
    const reads = Array.from({ length: 300 }, () =>
      calls.runRead(() => calls.readDb.execute(sql`select pg_advisory_xact_lock_shared(1)`)),
    );
    const outcomes = Promise.allSettled(reads);
    expect(await cancel?.()).toBe('cancelled');
    await blocker.end();
    await outcomes;
  });
});
