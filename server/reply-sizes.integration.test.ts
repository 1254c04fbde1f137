import { afterAll, beforeAll, expect, test } from 'vitest';
import { bigShopper, loadShop } from '../test/big-shop';
import { freshDatabase, type TestDatabase } from '../test/database';
import { clientOf, startTestNode, type TestNode } from '../test/node';
import { startEmptyRedis } from '../test/services/empty-redis';
import type { TestService } from '../test/services/test-service';
import { postgresUrl } from '../test/services/worker-services';
import { waitUntil } from '../test/wait-until';
import { policies } from './policies';

const MAX_REPLY_BYTES = 64_000;
const MAX_EVENT_BYTES = 4_096;

let database: TestDatabase;
let redis: TestService;
let node: TestNode;

beforeAll(async () => {
  [database, redis] = await Promise.all([freshDatabase(await postgresUrl()), startEmptyRedis()]);
  await loadShop(database.url, {
    ...{ merchants: 1_000, live: 300, endedToday: 60, ended: 100, orders: 500, ordersOfShopper: 200 },
    ...{ payments: 300, persons: 300, auditEntries: 300 },
  });
  // The longest texts that operators may enter.
  const long = '长'.repeat(80);
  await database.pool.query(
    `update coupons set title = '{"en": "${long}", "zh": "${long}"}', merchant_id = 'merchant-1'`,
  );
  await database.pool.query(
    `update audit_log set why = repeat('长', 200), before = jsonb_build_object('title', '${long}', 'stock', 1), after = before`,
  );
  await database.pool.query(`update limit_person_overrides set why = repeat('长', 200)`);
  await database.pool.query(`update merchants set name = '{"en": "${long}", "zh": "${long}"}'`);
  await database.pool.query(`update payments set status = 'refund-due', refund_again_at = null`);
  node = await startTestNode({
    REDIS_URL: redis.url,
    DATABASE_URL: database.url,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      node.limiter.bans.add(policies.claim, { level: 'user', subject: `banned-${n}`, ms: 600_000 }),
    ),
  );
});
afterAll(async () => {
  await node?.stop();
  await Promise.all([redis.stop(), database.drop()]);
});

let address = 0;
const shopper = () => clientOf(node, bigShopper, { 'x-forwarded-for': `192.0.2.${++address % 250}` });
const admin = () => clientOf(node, { id: 'ada', name: 'Ada', role: 'admin' });

/** Every list with pages: its call, and the number of its rows. */
const lists: Record<
  string,
  [(cursor?: string) => Promise<{ nextCursor?: string | undefined }>, rows: number]
> = {
  'coupon.list': [(cursor) => shopper().coupon.list.query({ cursor }), 360],
  'coupon.list with ids': [
    (cursor) =>
      shopper().coupon.list.query({ cursor, ids: Array.from({ length: 50 }, (_, n) => `ended-${n + 1}`) }),
    360 + 50,
  ],
  'merchant.byId': [(cursor) => shopper().merchant.byId.query({ id: 'merchant-1', cursor }), 360],
  'merchant.list': [(cursor) => shopper().merchant.list.query({ cursor }), 1_000],
  'ops.merchants': [(cursor) => admin().ops.merchants.query({ cursor }), 1_000],
  'order.list': [(cursor) => shopper().order.list.query({ cursor }), 200],
  'ops.coupons': [(cursor) => admin().ops.coupons.query({ cursor }), 461],
  'ops.orders': [(cursor) => admin().ops.orders.query({ cursor }), 700],
  'ops.audit': [(cursor) => admin().ops.audit.query({ cursor }), 300],
  'ban.list': [(cursor) => admin().ban.list.query({ cursor }), 300],
  'limit.person.list': [(cursor) => admin().limit.person.list.query({ cursor }), 300],
};

test.each(Object.entries(lists))(
  'no page of %s has more than 64 kB, and its pages have each row once',
  async (_name, [list, rows]) => {
    const ids = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await list(cursor);
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MAX_REPLY_BYTES);
      for (const field of Object.values(page))
        if (Array.isArray(field)) for (const row of field) ids.add(idOf(row));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(ids.size).toBe(rows);
  },
);

test('no other list has more than 64 kB', async () => {
  const replies = {
    'ops.refunds': admin().ops.refunds.query(),
    'ops.deadLetters': admin().ops.deadLetters.query(),
    'ops.subjects': admin().ops.subjects.query(),
    'limit.list': admin().limit.list.query(),
    'limit.mine': shopper().limit.mine.query(),
    'queue.mine': shopper().queue.mine.query(),
  };
  for (const [name, reply] of Object.entries(replies)) {
    expect(Buffer.byteLength(JSON.stringify(await reply)), name).toBeLessThan(MAX_REPLY_BYTES);
  }
});

test('an event in a flood of one coupon has at most 4 kB, and the first one has the stock of the named coupons', async () => {
  // The gates were opened when the node started.
  await waitUntil(async () => (await node.sale.readChangedStock()).stock.length === 0);
  const named = Array.from({ length: 50 }, (_, n) => `live-${n + 1}`);
  const stocked = named.filter((_id, n) => (n + 1) % 4 !== 0);
  const response = await fetch(`${node.url}/api/live?coupons=${named.join()}`);
  const events: { bytes: number; data: { sequence: number; stock: { couponId: string }[] } }[] = [];
  let text = '';
  const read = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  async function readUntil(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      text += (await read?.read())?.value ?? '';
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^event: windows\ndata: (.*)$/.exec(text.slice(0, end))?.[1];
        if (data) events.push({ bytes: end, data: JSON.parse(data) });
        text = text.slice(end + 2);
      }
    }
  }
  await readUntil(() => events.length > 0);
  expect(events[0]?.data.stock.map(({ couponId }) => couponId)).toEqual(stocked);
  const flood = Promise.all(
    Array.from({ length: 150 }, (_, n) =>
      clientOf(node, `buyer-${n}`)
        .coupon.seckill.mutate({ couponId: 'live-1' })
        .catch(() => undefined),
    ),
  );
  const sold = () =>
    events.slice(1).filter(({ data }) => data.stock.some(({ couponId }) => couponId === 'live-1'));
  await Promise.all([flood, readUntil(() => sold().length > 0)]);
  await read?.cancel();
  const later = events.slice(1);
  expect(Math.max(...later.map(({ bytes }) => bytes))).toBeLessThanOrEqual(MAX_EVENT_BYTES);
  expect(later.flatMap(({ data }) => data.stock.map(({ couponId }) => couponId))).toEqual(
    sold().map(() => 'live-1'),
  );
  const [first = 0, ...others] = events.map(({ data }) => data.sequence);
  expect(others).toEqual(others.map((_one, index) => first + index + 1));
});

function idOf(row: unknown): string {
  const { id, personId, banId } = row as Partial<Record<string, unknown>>;
  return String(id ?? personId ?? banId);
}
