import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { bigShopper, loadShop } from '../test/big-shop';
import { freshDatabase, type TestDatabase } from '../test/database';
import { clientOf, startTestNode, type TestNode } from '../test/node';
import { startEmptyRedis } from '../test/services/empty-redis';
import type { TestService } from '../test/services/test-service';
import { postgresUrl } from '../test/services/worker-services';
import { waitUntil } from '../test/wait-until';
import { withPostgres } from '../test/with-postgres';

/** The smallest table that no statement may read in full. */
const MIN_LARGE = 10_000;
/** The most rows of a larger table that a statement may read: ten of the longest pages. */
const MAX_READ = 2_000;

let database: TestDatabase;
let redis: TestService;
let node: TestNode;

beforeAll(async () => {
  [database, redis] = await Promise.all([freshDatabase(await postgresUrl()), startEmptyRedis()]);
  await loadShop(database.url, {
    ...{ merchants: 10_000, live: 20, ended: 12_000, orders: 40_000, ordersOfShopper: 1_500 },
    ...{ payments: 12_000, persons: 10_000, auditEntries: 12_000 },
  });
});
afterAll(async () => {
  await node?.stop();
  await Promise.all([redis.stop(), database.drop()]);
});

test('no statement of a list, of a change of a rule or of a job scans a table of 10,000 rows', async () => {
  node = await startTestNode({
    REDIS_URL: redis.url,
    DATABASE_URL: database.url,
    FLOODGATE_DEMO: '1',
    TRUSTED_PROXIES: '127.0.0.1',
  });
  // The start reads the rules of all persons once.
  const statements = recordStatements();
  await callAllLists(node);
  // Each job has run at least once more.
  const seen = statements.size();
  await waitUntil(() => statements.size() > seen + 20);

  const problems: string[] = [];
  await withPostgres(database.url, async (client) => {
    const large = await listLargeTables(client);
    expect([...large].sort()).toEqual([
      ...['audit_log', 'coupons', 'limit_person_overrides', 'merchants', 'orders', 'payments'],
    ]);
    expect(
      statements.list().filter(({ text }) => text.includes('limit_person_lifts')).length,
    ).toBeGreaterThan(1);
    for (const statement of statements.list()) {
      for (const { relation, read } of await readsOf(client, statement)) {
        if (large.has(relation) && read > MAX_READ)
          problems.push(`${read} rows of ${relation}: ${statement.text}`);
      }
    }
  });
  expect(problems).toEqual([]);
});

/** Reads the first two pages of each list, in all its orders. */
async function callAllLists(from: TestNode): Promise<void> {
  const admin = clientOf(from, { id: 'ada', name: 'Ada', role: 'admin' });
  let caller = 0;
  const shopper = () => clientOf(from, bigShopper, { 'x-forwarded-for': `192.0.2.${++caller}` });

  const lists: ((cursor?: string) => Promise<{ nextCursor?: string | undefined }>)[] = [
    (cursor) => shopper().order.list.query({ cursor }),
    (cursor) => shopper().coupon.list.query({ cursor, ids: ['live-1', 'ended-1'] }),
    (cursor) => shopper().merchant.list.query({ cursor }),
    // All merchants, one of them, and none.
    ...['river', 'r', '7 river', '9999 river road', '店', 'zzzz'].map(
      (q) => (cursor?: string) => shopper().merchant.list.query({ q, cursor }),
    ),
    (cursor) => admin.ops.merchants.query({ cursor }),
    (cursor) => admin.ops.merchants.query({ q: '9999 river road', cursor }),
    (cursor) => shopper().merchant.byId.query({ id: 'merchant-1', cursor }),
    (cursor) => admin.ops.coupons.query({ cursor }),
    (cursor) => admin.ops.audit.query({ cursor }),
    (cursor) => admin.limit.person.list.query({ cursor }),
    ...([undefined, 'held', 'ready', 'confirmed', 'paid', 'cancelled', 'expired'] as const).flatMap(
      (status) => [
        (cursor?: string) => admin.ops.orders.query({ status, cursor }),
        (cursor?: string) => admin.ops.orders.query({ status, cursor, couponId: 'ended-1' }),
      ],
    ),
  ];
  for (const list of lists) {
    const { nextCursor } = await list();
    if (nextCursor !== undefined) await list(nextCursor);
  }
  await shopper().coupon.byId.query({ id: 'ended-1' });
  await shopper().queue.mine.query();
  await admin.ops.refunds.query();
  await admin.ops.deadLetters.query();
  const { persons } = await admin.limit.person.list.query({});
  await admin.limit.person.lift.mutate({ personId: persons[0]?.personId ?? 0 });
}

interface Statement {
  text: string;
  values: unknown[];
}

const queryArguments = z.object({ text: z.string(), values: z.array(z.unknown()).optional() });

/** Records each different statement on a table that is sent to Postgres, with its latest values. */
function recordStatements(): { list(): Statement[]; size(): number } {
  const statements = new Map<string, Statement>();
  let size = 0;
  const query = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function record(
    this: pg.Client,
    ...args
  ) {
    const [config, values] = args as unknown[];
    const parsed = queryArguments.safeParse(typeof config === 'string' ? { text: config, values } : config);
    if (parsed.success && /^\s*(select|update|delete|with)/i.test(parsed.data.text)) {
      const { text } = parsed.data;
      size += 1;
      statements.set(text, { text, values: Array.isArray(values) ? values : (parsed.data.values ?? []) });
    }
    return query.apply(this, args as Parameters<typeof query>);
  });
  onTestFinished(() => spy.mockRestore());
  return { list: () => [...statements.values()], size: () => size };
}

async function listLargeTables(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= $1",
    [MIN_LARGE],
  );
  return new Set(rows.map(({ name }) => name));
}

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** Executes a statement in a transaction that is rolled back, and returns the rows that each scan of a table has read. */
async function readsOf(
  client: pg.Client,
  { text, values }: Statement,
): Promise<{ relation: string; read: number }[]> {
  await client.query('begin');
  try {
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, values);
    return scansOf(rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.query('rollback');
  }
}

function scansOf(plan: Plan): { relation: string; read: number }[] {
  const below = (plan.Plans ?? []).flatMap(scansOf);
  const relation = plan['Relation Name'];
  if (relation === undefined) return below;
  const rows =
    plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0);
  return [{ relation, read: rows * plan['Actual Loops'] }, ...below];
}
