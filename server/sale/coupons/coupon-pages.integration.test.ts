import { isNull } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { queryDatabases } from '../../../test/databases';
import { coupons } from '../../db/schema';
import { couponCursorInput, readCouponPage } from './coupon-pages';

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

describe.each(queryDatabases)('pages of coupons on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  const insert = (id: string, values: Partial<typeof coupons.$inferInsert> = {}) =>
    insertCoupon(database.db, { id, endsAt: inHours(10), ...values });
  const many = (prefix: string) =>
    Array.from({ length: 10 }, (_, index) => `${prefix}-${index}`) as [string, ...string[]];

  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
    await insert('best-offer', { faceValueCents: 99_000, endsAt: inHours(19) });
    for (const [index, id] of many('live').entries()) await insert(id, { endsAt: inHours(20 - index) });
    // One end for all: the id decides.
    for (const id of many('claim')) await insert(id, { kind: 'claim', endsAt: inHours(99) });
    for (const [index, id] of many('upcoming').entries())
      await insert(id, { startsAt: inHours(9 - index / 2), endsAt: inHours(30) });
    for (const id of many('sold-out')) await insert(id, { stock: 1, sold: 1, soldOutAt: inHours(-1) });
    for (const [index, id] of many('ended').entries())
      await insert(id, { startsAt: inHours(-40), endsAt: inHours(-1 - index) });
    await insert('ended-long-ago', { startsAt: inHours(-40), endsAt: inHours(-30) });
  });
  afterAll(() => database.drop());

  async function readAll(merchantId?: string): Promise<string[][]> {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await readCouponPage(database.db, {
        merchantId,
        cursor: couponCursorInput.parse(cursor),
      });
      pages.push(page.rows.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return pages;
  }
  const last = (prefix: string) => many(prefix).toReversed();

  test('the featured coupon is first, then live ones by end, upcoming ones by start, sold-out and ended ones', async () => {
    const pages = await readAll();
    expect(pages.map((page) => page.length)).toEqual([24, 24, 3]);
    expect(pages.flat()).toEqual([
      ...['best-offer', ...last('live'), ...many('claim'), ...last('upcoming')],
      ...[...last('sold-out'), ...many('ended')],
    ]);
  });

  test('operators see the coupons that the shop hides, too, and no featured one', async () => {
    const { rows } = await readCouponPage(database.db, { isForOperators: true });
    expect(rows.slice(0, 8).map(({ id }) => id)).toEqual(last('live').slice(0, 8));
  });

  test('a sale that opens, sells out or ends between two pages shifts no page', async () => {
    const before = await readAll();
    const first = await readCouponPage(database.db);
    await insert('opened-meanwhile', { startsAt: new Date(), endsAt: inHours(1) });
    await database.db.update(coupons).set({ soldOutAt: new Date() }).where(isNull(coupons.soldOutAt));
    const second = await readCouponPage(database.db, { cursor: couponCursorInput.parse(first.nextCursor) });
    expect(second.rows.map(({ id }) => id)).toEqual(before[1]);
  });

  test('a merchant has its own pages', async () => {
    expect(await readAll('merchant-of-upcoming-3')).toEqual([['upcoming-3']]);
  });
});
