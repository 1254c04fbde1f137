import { sign } from 'cookie-signature';
import { eq, isNotNull } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../test/database';
import { databases } from '../test/databases';
import { expectConsistentSale } from '../test/expect-consistent-sale';
import { clientOf, startTestNode } from '../test/node';
import { connectTestRedis } from '../test/redis';
import { startRedis } from '../test/services/redis';
import { postgresUrl } from '../test/services/worker-services';
import { type DumpedDatabase, loadDump } from '../test/upgrade/load-dump';
import { waitUntil } from '../test/wait-until';
import { createDatabase } from './db/client';
import { migrateDatabase } from './db/migrate';
import journal from './db/migrations/meta/_journal.json' with { type: 'json' };
import { orders } from './db/schema';
import { sharedSecret } from './db/shared-secret';
import { pseudonymOf } from './limiter/pseudonym';
import type { User } from './trpc/context';

const SECRET = 'a secret that the nodes of both versions share';
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/** Users and orders of test/upgrade/0.1.0.sql. */
const GRACE: User = { id: '7c69d746-eacf-4e70-befc-d6035b6e87c4', name: 'Grace', role: 'admin' };
const ANN: User = { id: '9b9ac05b-a627-48e5-8a50-b18e34934e23', name: 'Ann', role: 'shopper' };
const TAPIR: User = {
  id: 'dbc5ebdc-2acd-401c-9062-9d933c0ccd26',
  name: 'Cheerful Tapir 308',
  role: 'shopper',
};
const BEAN = 'bean-of-the-week-r1';
const HOTPOT = 'hotpot-50-r1';
const HELD_BY_ANN = {
  id: '0d736160-4f6b-4a3e-93e9-94d3aefe00e2',
  requestId: 'aa372731-0ebc-47b7-9879-6372e69cb7ef',
};
const PAYMENT_PENDING = 'f9f57ddf-b278-4734-9263-c2134405fd68';
const STOCK_OWED = '0065299a-0711-419a-bff3-fee8b14a6bbb';
const REFUND_DUE = '1b82be24-f2d4-476b-8605-d950c03acfc1';

/** The `Cookie` header that 0.1.0 gave a user who signed in `agoMs` ago. */
function cookieOf010(user: User, { agoMs = 0 } = {}): string {
  const payload = { user, expiresAt: Date.now() - agoMs + 30 * DAY };
  const value = sign(Buffer.from(JSON.stringify(payload)).toString('base64url'), SECRET);
  return `floodgate_session=${encodeURIComponent(value)}`;
}

/** The columns, indexes, constraints and enum values of the tables, without the order in which they were added. */
async function describeSchema({ pool }: TestDatabase): Promise<unknown[]> {
  const { rows } = await pool.query(`
    select table_name as "table", column_name as name, concat_ws(' ', data_type, udt_name, is_nullable, column_default) as text
      from information_schema.columns where table_schema = 'public'
    union all select tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace and conrelid <> 0
    union all select typname, enumlabel, '' from pg_enum join pg_type on pg_type.oid = enumtypid
    order by 1, 2, 3`);
  return rows;
}

describe.each(databases)('a database of 0.1.0 on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  let dumped: DumpedDatabase;

  beforeEach(async () => {
    database = await freshDatabase(await url(), { pglite, migrated: false });
    dumped = await loadDump(database.url, '0.1.0');
  });
  afterEach(() => database.drop());

  test('two nodes migrate it at once: both succeed, and every row is unchanged', async () => {
    const before = await dumped.rows();
    expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true);
    const nodes = [1, 2].map(() => createDatabase({ url: database.url, pglite }));
    onTestFinished(async () => {
      await Promise.all(nodes.map((node) => node.close()));
    });
    await Promise.all(nodes.map(migrateDatabase));
    expect(await dumped.rows()).toEqual(before);
    // The migrations of 0.1.0 are one file now, which such a database skips.
    const { rows } = await database.pool.query(
      'select count(*)::int as count from drizzle.__drizzle_migrations where created_at > $1',
      [journal.entries[0]?.when],
    );
    expect(rows).toEqual([{ count: journal.entries.length - 1 }]);
  });

  test('its schema becomes that of a new database', async () => {
    const created = await freshDatabase(await url(), { pglite });
    onTestFinished(() => created.drop());
    await migrateDatabase(database);
    expect(await describeSchema(database)).toEqual(await describeSchema(created));
  });
});

describe('a database of 0.1.0', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await freshDatabase(await postgresUrl(), { migrated: false });
    await loadDump(database.url, '0.1.0');
  });
  afterEach(() => database.drop());

  /** Two nodes that start at once, on a Redis that lost the gates of the former version. */
  async function startTwoNodes() {
    const redis = await startRedis();
    const settings = {
      ...{ REDIS_URL: redis.url, DATABASE_URL: database.url },
      ...{ FLOODGATE_DEMO: '1', SESSION_SECRETS: SECRET },
    };
    const nodes = await Promise.all([startTestNode(settings), startTestNode(settings)]);
    onTestFinished(async () => {
      await Promise.all(nodes.map((node) => node.stop()));
      await redis.stop();
    });
    for (const { sale } of nodes)
      for (const couponId of [BEAN, HOTPOT]) await waitUntil(() => sale.ensureGate(couponId));
    const [first, second] = nodes;
    if (!first || !second) throw new Error('two nodes were started');
    return { first, second, redis };
  }

  test('migrated, it has the schema of a new database', async () => {
    const fresh = await freshDatabase(await postgresUrl());
    onTestFinished(() => fresh.drop());
    await migrateDatabase(database);
    expect(await schemaOf(database)).toEqual(await schemaOf(fresh));
  });

  test('two nodes start on it at once: the sale continues in its state of 0.1.0', async () => {
    const { first, second, redis } = await startTwoNodes();
    const ann = clientOf(first, undefined, { cookie: cookieOf010(ANN) });
    await storeChargedIdOf010(redis.url, await sharedSecret(database.db, 'subjects'));
    const tapir = clientOf(second, undefined, { cookie: cookieOf010(TAPIR) });

    const { orders: ofAnn } = await ann.order.list.query();
    expect(ofAnn.map(({ status }) => status).sort()).toEqual([
      ...['confirmed', 'confirmed', 'confirmed', 'confirmed', 'expired'],
    ]);
    expect(
      await ann.coupon.seckill.mutate({ couponId: BEAN, requestId: HELD_BY_ANN.requestId }),
    ).toMatchObject({
      outcome: 'accepted',
      order: { id: HELD_BY_ANN.id },
    });
    const { windows } = await ann.limit.mine.query({ policy: 'coupon.seckill' });
    expect(windows).toMatchObject([{ level: 'user', used: 0 }]);
    expect(await ann.coupon.seckill.mutate({ couponId: BEAN })).toMatchObject({
      outcome: 'already-bought',
      order: { id: HELD_BY_ANN.id },
    });
    expect((await ann.order.pay.mutate({ id: HELD_BY_ANN.id })).order.status).toBe('paid');

    // When the nodes of 0.1.0 ended, one payment was pending, and one cancelled order was not restocked yet.
    await waitUntil(
      async () => (await tapir.order.byId.query({ id: PAYMENT_PENDING })).order.status === 'paid',
      { interval: 100 },
    );
    await waitUntil(
      async () =>
        (await database.db.select().from(orders).where(isNotNull(orders.compensationGeneration))).length ===
        0,
      { interval: 100 },
    );
    const [compensated] = await database.db.select().from(orders).where(eq(orders.id, STOCK_OWED));
    expect(compensated?.status).toBe('cancelled');

    const bought = await tapir.coupon.seckill.mutate({ couponId: HOTPOT });
    expect(bought).toMatchObject({ outcome: 'accepted' });
    for (const couponId of [BEAN, HOTPOT])
      await expectConsistentSale({ db: database.db, redisUrl: redis.url, couponId, seen: [] });
  });

  test('its overrides are effective, and its operators find their log and the due refund', async () => {
    const { second } = await startTwoNodes();
    const admin = clientOf(second, undefined, { cookie: cookieOf010(GRACE, { agoMs: 11 * HOUR }) });
    const { policies } = await admin.limit.list.query();
    const effective = (policy: string) =>
      policies.find((listed) => listed.policy === policy)?.levels.map((level) => level.effective);
    expect(effective('coupon.claim')).toEqual([{ limit: 30, windowMs: 60_000 }]);
    expect(effective('merchant')).toEqual([{ limit: 50, windowMs: 2_000 }]);

    const { entries } = await admin.ops.audit.query({});
    expect(entries.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['coupon.create', 'coupon.close', 'limit.reset', 'refund.markSent']),
    );
    const [refund] = (await database.pool.query('select status from payments where id = $1', [REFUND_DUE]))
      .rows;
    expect(refund.status).toMatch(/^refund/);
  });
});

/** Stores in Redis that 0.1.0 charged the request id of Ann's order. */
async function storeChargedIdOf010(redisUrl: string, secret: string): Promise<void> {
  const redis = await connectTestRedis(redisUrl);
  const id = JSON.stringify([ANN.id, 'coupon.seckill', BEAN, HELD_BY_ANN.requestId]);
  await redis.set(`limit:{coupon.seckill}:request:id:${pseudonymOf(id, secret)}`, '1', 'PX', DAY);
  await redis.quit();
}

/** Everything that a migration can make: columns, indexes, constraints and enums. */
async function schemaOf({ pool }: TestDatabase): Promise<unknown> {
  const queries = [
    `select table_name, column_name, data_type, udt_name, is_nullable, column_default, is_identity
       from information_schema.columns where table_schema = 'public' order by 1, 2`,
    `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    `select conrelid::regclass::text as table, conname, pg_get_constraintdef(oid) as definition
       from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
    `select typname, enumlabel from pg_enum join pg_type on pg_type.oid = enumtypid order by typname, enumsortorder`,
  ];
  return Promise.all(queries.map(async (query) => (await pool.query(query)).rows));
}
