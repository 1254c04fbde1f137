import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertCoupon } from '../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { queryDatabases } from '../../test/databases';
import { orders } from '../db/schema';
import { type CouponCursor, couponCursorInput } from '../sale/coupons/coupon-pages';
import { type RowCursor, rowCursorInput } from '../trpc/inputs';
import { createSaleRows } from './sale-rows';

describe.each(queryDatabases)('on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());

  const order = (couponId: string, index: number, status: 'confirmed' | 'paid' = 'confirmed') => ({
    id: `${couponId}-${String(index).padStart(3, '0')}`,
    couponId,
    userId: `shopper-${index}`,
    status,
    onePerShopper: true,
    code: `CODE-${index}`,
    // Three at each instant: the id decides between them.
    createdAt: new Date(1_700_000_000_000 + Math.floor(index / 3)),
    confirmedAt: new Date(1_700_000_000_500),
  });

  test('all orders are listed once, newest first, in pages', async () => {
    const rows = createSaleRows(database);
    const startsAt = new Date(1_700_000_000_000);
    const one = await insertCoupon(database.db, { startsAt });
    const other = await insertCoupon(database.db);
    await database.db.insert(orders).values(Array.from({ length: 70 }, (_, index) => order(one, index)));
    await database.db.insert(orders).values([order(other, 1, 'paid')]);

    const first = await rows.orders({ couponId: one });
    expect(first.orders).toHaveLength(50);
    const after = rowCursorInput.parse(first.nextCursor) satisfies RowCursor | undefined;
    const second = await rows.orders({ couponId: one, after });
    expect(second.nextCursor).toBeUndefined();
    const ids = [...first.orders, ...second.orders].map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 70 }, (_, index) => order(one, 69 - index).id));
    expect(first.orders[0]).toMatchObject({
      ...{ couponId: one, userId: 'shopper-69', status: 'confirmed', priceCents: 990 },
      ...{ couponTitle: { en: 'Coupon', zh: 'Coupon' }, couponStartsAt: startsAt.getTime() },
    });

    expect((await rows.orders({ status: 'paid' })).orders.map(({ couponId }) => couponId)).toEqual([other]);
    expect((await rows.orders({ couponId: one, status: 'expired' })).orders).toEqual([]);
  });

  test('all coupons are listed with their editable fields, ended ones too', async () => {
    const rows = createSaleRows(database);
    const ended = await insertCoupon(database.db, {
      endsAt: new Date(Date.now() - 10 * 24 * 3_600_000),
      startsAt: new Date(Date.now() - 11 * 24 * 3_600_000),
    });
    const { coupons, serverNow } = await rows.coupons({});
    const listed = coupons.find(({ id }) => id === ended);
    expect(Math.abs(serverNow - Date.now())).toBeLessThan(60_000);
    expect(listed).toMatchObject({
      ...{ id: ended, kind: 'seckill', title: { en: 'Coupon', zh: 'Coupon' }, revision: 0 },
      ...{
        merchantName: { en: 'Shop', zh: 'Shop' },
        stock: { total: 50, sold: 0 },
        priceCents: 990,
        sold: 0,
      },
    });
    expect((await rows.merchants({})).merchants).toContainEqual({
      id: `merchant-of-${ended}`,
      name: { en: 'Shop', zh: 'Shop' },
    });
  });

  test('coupons are listed in pages', async () => {
    const rows = createSaleRows(database);
    for (let made = 0; made < 55; made += 1) await insertCoupon(database.db);
    const seen = new Set<string>();
    let cursor: CouponCursor | undefined;
    do {
      const page = await rows.coupons({ cursor });
      for (const { id } of page.coupons) {
        expect(seen).not.toContain(id);
        seen.add(id);
      }
      cursor = couponCursorInput.parse(page.nextCursor);
    } while (cursor);
    expect(seen.size).toBe(58);
  });

  test('orders are listed by the state that their shopper sees', async () => {
    const rows = createSaleRows(database);
    const priced = await insertCoupon(database.db);
    const free = await insertCoupon(database.db, { priceCents: 0 });
    const holdUntil = new Date(Date.now() + 60_000);
    await database.db
      .insert(orders)
      .values([{ ...order(priced, 1), holdUntil }, order(priced, 2, 'paid'), order(free, 1)]);
    const idsOf = async (couponId: string, status: 'held' | 'ready') =>
      (await rows.orders({ couponId, status })).orders.map(({ id }) => id);
    expect(await idsOf(priced, 'held')).toEqual([order(priced, 1).id]);
    expect(await idsOf(priced, 'ready')).toEqual([order(priced, 2).id]);
    expect(await idsOf(free, 'held')).toEqual([]);
    expect(await idsOf(free, 'ready')).toEqual([order(free, 1).id]);
  });
});
