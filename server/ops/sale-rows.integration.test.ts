import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { insertCoupon } from '../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { databases } from '../../test/databases';
import { auditLog, orders, users } from '../db/schema';
import { cursorInput } from '../trpc/cursor';
import { auditTrail } from './audit-trail';
import { createSaleRows, type RowCursor } from './sale-rows';

const rowCursor = cursorInput(z.tuple([z.int(), z.string()]));
const idCursor = cursorInput(z.tuple([z.int()]));

describe.each(databases)('on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(url(), { pglite });
  });
  afterAll(() => database.drop());

  const order = (couponId: string, place: number, status: 'confirmed' | 'paid' = 'confirmed') => ({
    id: `${couponId}-${String(place).padStart(3, '0')}`,
    couponId,
    userId: `shopper-${place}`,
    status,
    onePerShopper: true,
    code: `CODE-${place}`,
    // Three at each instant: the id decides between them.
    createdAt: new Date(1_700_000_000_000 + Math.floor(place / 3)),
    confirmedAt: new Date(1_700_000_000_500),
  });

  test('all orders are listed once, the newest first, a page at a time', async () => {
    const rows = createSaleRows(database);
    const one = await insertCoupon(database.db);
    const other = await insertCoupon(database.db);
    await database.db.insert(orders).values(Array.from({ length: 70 }, (_, place) => order(one, place)));
    await database.db.insert(orders).values([order(other, 1, 'paid')]);

    const first = await rows.orders({ couponId: one });
    expect(first.orders).toHaveLength(50);
    const after = rowCursor.parse(first.nextCursor) satisfies RowCursor | undefined;
    const second = await rows.orders({ couponId: one, after });
    expect(second.nextCursor).toBeUndefined();
    const ids = [...first.orders, ...second.orders].map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 70 }, (_, place) => order(one, 69 - place).id));
    expect(first.orders[0]).toMatchObject({
      ...{ couponId: one, userId: 'shopper-69', status: 'confirmed', priceCents: 990 },
      couponTitle: { en: 'Coupon', zh: 'Coupon' },
    });

    expect((await rows.orders({ status: 'paid' })).orders.map(({ couponId }) => couponId)).toEqual([other]);
    expect((await rows.orders({ couponId: one, status: 'expired' })).orders).toEqual([]);
  });

  test('all coupons are listed with what may be edited, the newest first', async () => {
    const rows = createSaleRows(database);
    const ended = await insertCoupon(database.db, {
      endsAt: new Date(Date.now() - 10 * 24 * 3_600_000),
      startsAt: new Date(Date.now() - 11 * 24 * 3_600_000),
      createdAt: new Date(Date.now() + 5_000),
    });
    const { coupons, serverNow } = await rows.coupons({});
    expect(Math.abs(serverNow - Date.now())).toBeLessThan(60_000);
    expect(coupons[0]).toMatchObject({
      ...{ id: ended, kind: 'seckill', title: { en: 'Coupon', zh: 'Coupon' }, revision: 0 },
      ...{ merchantName: { en: 'Shop', zh: 'Shop' }, stock: { total: 50, sold: 0 }, priceCents: 990 },
    });
    expect(await rows.merchants()).toContainEqual({
      id: `merchant-of-${ended}`,
      name: { en: 'Shop', zh: 'Shop' },
    });
  });

  test('coupons come a page at a time', async () => {
    const rows = createSaleRows(database);
    for (let made = 0; made < 55; made += 1) await insertCoupon(database.db);
    const seen = new Set<string>();
    let after: RowCursor | undefined;
    do {
      const page = await rows.coupons({ after });
      for (const { id } of page.coupons) {
        expect(seen).not.toContain(id);
        seen.add(id);
      }
      after = rowCursor.parse(page.nextCursor);
    } while (after);
    expect(seen.size).toBe(58);
  });

  test('what operators did is told newest first, with their names where they are known', async () => {
    await database.db.insert(users).values({ id: 'the-admin', name: 'Ada', role: 'admin' });
    const entry = { what: 'limit.update', target: 'coupon.claim:user', before: { version: 0 } };
    for (let made = 1; made <= 60; made += 1) {
      await database.db.insert(auditLog).values({
        ...entry,
        who: made % 2 === 0 ? 'the-admin' : 'somebody',
        after: { version: made },
        why: made === 60 ? 'a test' : null,
      });
    }
    const first = await auditTrail(database.db);
    expect(first.entries[0]).toEqual({
      ...entry,
      ...{ id: expect.any(Number), at: expect.any(Number), who: 'the-admin', whoName: 'Ada' },
      ...{ after: { version: 60 }, why: 'a test' },
    });
    expect(first.entries[1]).not.toHaveProperty('whoName');
    const before = idCursor.parse(first.nextCursor)?.[0];
    const second = await auditTrail(database.db, { before });
    const versions = [...first.entries, ...second.entries].map(({ after }) => after.version);
    expect(versions).toEqual(Array.from({ length: 60 }, (_, place) => 60 - place));
    expect(second.nextCursor).toBeUndefined();
  });
});
