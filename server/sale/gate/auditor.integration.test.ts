import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { emptySales, freshDatabase, type TestDatabase } from '../../../test/database';
import { databases } from '../../../test/databases';
import { startTestNode } from '../../../test/node';
import { connectTestRedis } from '../../../test/redis';
import { startTestSale } from '../../../test/sale';
import { startEmptyRedis } from '../../../test/services/empty-redis';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { isUnavailable } from '../../db/unavailable';
import { AppError } from '../../errors';
import type { RedisClient } from '../../redis/client';
import { auditLeaseKey, auditReportKey, saleKeys } from '../../redis/keys';
import type { Sale } from '../sale';
import { computeAuditVerdict, createAuditReader } from './audit';
import { createAuditor } from './auditor';

/** With a shorter pause, twelve shoppers take all CPU time of the machine until the audits have run. */
const SHOP_EVERY_MS = 80;

describe.each(databases)('the auditor on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  let redis: TestService;
  let client: RedisClient;
  /** Two nodes. */
  let here: Sale;
  let there: Sale;

  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    // What another test has left must not be audited on an empty Redis.
    await emptySales(database.db);
    redis = await startEmptyRedis();
    client = await connectTestRedis(redis.url);
    const { db } = database;
    here = await startTestSale({ db, redisUrl: redis.url, nodeName: 'here' });
    there = await startTestSale({ db, redisUrl: redis.url, nodeName: 'there' });
  });
  afterEach(async () => {
    await Promise.all([here.stop(), there.stop()]);
    client.disconnect();
    await redis.stop();
  });

  /** Resolves to undefined if a store does not reply in time: PGlite has one session, which the writes of the sale also use. */
  async function ifAvailable<Result>(work: Promise<Result>): Promise<Result | undefined> {
    return work.catch((error: unknown) => {
      const isRefused = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
      if (isRefused || isUnavailable(error)) return undefined;
      throw error;
    });
  }
  async function buy(sale: Sale, couponId: string, userId: string) {
    const deadline = performance.now() + 280;
    return ifAvailable(sale.purchase({ kind: 'seckill', couponId, userId, deadline }));
  }
  const openCoupon = async (stock: number) => {
    const couponId = await insertCoupon(database.db, { stock });
    await waitUntil(() => here.ensureGate(couponId));
    return couponId;
  };
  const setRemaining = (couponId: string, remaining: number) =>
    client.hset(saleKeys(couponId).gate, 'remaining', remaining);
  const gateOf = (couponId: string) => client.hgetall(saleKeys(couponId).gate);
  const report = async () => {
    const text = await client.get(auditReportKey);
    return text === null ? undefined : JSON.parse(text);
  };
  const soldOf = async (couponId: string) => {
    const { rows } = await database.db.execute(sql`select sold from coupons where id = ${couponId}`);
    return Number(rows[0]?.sold);
  };

  test('a healthy running sale under load is never reported', { timeout: 110_000 }, async () => {
    const couponId = await openCoupon(200);
    const auditReader = createAuditReader({ db: database.db, redis: client });
    let isRunning = true;
    let rounds = 0;
    /** Buys, and gives back what was bought, again and again. */
    async function shop(n: number): Promise<void> {
      const userId = `shopper-${n}`;
      const sale = n % 2 ? here : there;
      while (isRunning) {
        const bought = await buy(sale, couponId, userId);
        if (bought && 'order' in bought && bought.order.status === 'confirmed') {
          // A cancellation that timed out may be executed later, and then the next one finds no order.
          await ifAvailable(sale.cancel(bought.order, undefined)).catch((error: unknown) => {
            if (!(error instanceof AppError)) throw error;
          });
        }
        rounds += 1;
        await wait(SHOP_EVERY_MS);
      }
    }
    const shopping = Array.from({ length: 12 }, (_, n) => shop(n));

    const verdicts: string[] = [];
    const instants = new Set<number>();
    await waitUntil(
      async () => {
        const snapshots = (await ifAvailable(auditReader.readSnapshots([couponId])))?.get(couponId);
        if (snapshots) verdicts.push(computeAuditVerdict(snapshots).verdict);
        if (instants.size === 1 && rounds % 5 === 0) {
          const readOptions = { language: 'en' as const, deadline: performance.now() + 280 };
          const adding = { id: couponId, change: { addStock: 1 } };
          await ifAvailable(here.couponCommands.update(adding, { who: 'ada', readOptions }));
        }
        const found = await report();
        if (found) {
          instants.add(found.at);
          expect(found).toMatchObject({ findings: [], heals: [] });
        }
        return instants.size >= 3 && verdicts.length > 30;
      },
      { timeout: 80_000, interval: 20 },
    );
    isRunning = false;
    await Promise.all(shopping);
    expect(verdicts.filter((verdict) => verdict !== 'consistent' && verdict !== 'inconclusive')).toEqual([]);
    expect(verdicts).toContain('consistent');

    await waitUntil(async () => (await here.checkAudit()).detail === '1 of 1 sales are consistent');
    expect(await report()).toMatchObject({ findings: [], heals: [] });
  });

  test('a remaining stock that was changed by hand is healed without overselling', async () => {
    const couponId = await openCoupon(50);
    await Promise.all(Array.from({ length: 20 }, (_, n) => buy(here, couponId, `first-${n}`)));
    await waitUntil(async () => (await soldOf(couponId)) === 20);

    for (const wrong of [500, 0]) {
      await setRemaining(couponId, wrong);
      await waitUntil(async () => (await gateOf(couponId)).remaining === '30');
    }

    // And while a crowd buys what is not there.
    await setRemaining(couponId, 500);
    const orders: string[] = [];
    let shopper = 0;
    await waitUntil(async () => {
      const bought = await Promise.all(
        Array.from({ length: 10 }, () => buy(there, couponId, `crowd-${shopper++}`)),
      );
      for (const one of bought) if (one?.outcome === 'accepted') orders.push(one.order.id);
      const { remaining } = await gateOf(couponId);
      return (await soldOf(couponId)) === 50 && Number(remaining) === 0;
    });
    const { rows } = await database.db.execute(
      sql`select count(*)::int as confirmed from orders where coupon_id = ${couponId} and status = 'confirmed'`,
    );
    expect(rows[0]?.confirmed).toBe(50);
    expect(await here.checkAudit()).toMatchObject({ ok: true });
  });

  test('a ledger with more sold than stock is reported by every node and not healed', async () => {
    const couponId = await openCoupon(1);
    const { generation } = await gateOf(couponId);
    await database.db.execute(sql`alter table coupons drop constraint coupons_sold_within_stock`);
    await database.db.execute(sql`update coupons set sold = 2 where id = ${couponId}`);

    const found = {
      ok: false,
      detail: `${couponId}: 2 are sold of 1`,
      findings: [{ code: 'mismatch', values: { couponId } }],
    };
    for (const node of [here, there]) {
      await waitUntil(async () => !(await node.checkAudit()).ok);
      expect(await node.checkAudit()).toEqual(found);
    }
    expect(await gateOf(couponId)).toMatchObject({ generation, remaining: '1' });
    expect(await soldOf(couponId)).toBe(2);

    await database.db.execute(sql`update coupons set sold = 0 where id = ${couponId}`);
    await database.db.execute(
      sql`alter table coupons add constraint coupons_sold_within_stock check (sold >= 0 and (stock is null or sold <= stock))`,
    );
    for (const node of [here, there]) {
      await waitUntil(async () => (await node.checkAudit()).ok);
    }
  });

  test('a gate with a new mismatch after three rebuilds is reported and not rebuilt again', async () => {
    await Promise.all([here.stop(), there.stop()]);
    const couponId = await insertCoupon(database.db, { stock: 5 });
    await database.db.execute(sql`update coupons set generation = 1 where id = ${couponId}`);
    await client.hset(saleKeys(couponId).gate, { generation: 1, revision: 0, sequence: 0, remaining: 9 });
    const markForRebuild = vi.fn<() => void>();
    const [onMismatches, onHealed, warn, error] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
    const auditor = createAuditor({
      auditReader: createAuditReader({ db: database.db, redis: client }),
      changedGates: { within: () => [] },
      ...{ redis: client, markForRebuild, onMismatches, onHealed, log: { warn, error } },
    });
    for (let audit = 0; audit < 5; audit += 1) {
      await client.del(auditLeaseKey);
      await auditor.sweepAudit();
      const isRepairing = expect.arrayContaining([{ code: 'repairing', values: { count: 1 } }]);
      if (audit < 3) expect(await auditor.checkAudit()).toMatchObject({ ok: true, findings: isRepairing });
    }
    expect(markForRebuild).toHaveBeenCalledTimes(3);
    expect(onHealed).toHaveBeenCalledTimes(3);
    expect(onMismatches).toHaveBeenLastCalledWith(1);
    expect(error).toHaveBeenCalledOnce();
    expect(await auditor.checkAudit()).toEqual({
      ok: false,
      detail: `${couponId}: the gate has 9 left; with 0 reserved and 0 sold of 5 it is 5`,
      findings: [{ code: 'mismatch', values: { couponId } }],
    });

    // Without the lease it compares nothing and reports the findings of the other node.
    await auditor.sweepAudit();
    expect(markForRebuild).toHaveBeenCalledTimes(3);
    expect(onMismatches).toHaveBeenLastCalledWith(1);
  });
});

test('/readyz shows the auditor, and a node whose sales do not add up stays ready', async () => {
  const database = await freshDatabase(await postgresUrl());
  const redis = await startEmptyRedis();
  const couponId = await insertCoupon(database.db);
  await database.db.execute(sql`update coupons set sold = 1 where id = ${couponId}`);
  const node = await startTestNode({ REDIS_URL: redis.url, DATABASE_URL: database.url });
  const readyz = async () => {
    const answer = await fetch(`${node.url}/readyz`);
    return { status: answer.status, body: await answer.json() };
  };
  await waitUntil(async () => !(await readyz()).body.dependencies.auditor.ok);
  expect(await readyz()).toMatchObject({
    status: 200,
    body: {
      ready: true,
      dependencies: {
        auditor: { ok: false, detail: `${couponId}: 1 count as sold, and 0 orders are open` },
      },
    },
  });
  expect(await (await fetch(`${node.url}/metrics`)).text()).toContain('floodgate_auditor_mismatches 1');
  await node.stop();
  await redis.stop();
  await database.drop();
});
