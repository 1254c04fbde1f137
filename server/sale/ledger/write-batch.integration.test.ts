import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { databases } from '../../../test/databases';
import { coupons, orders } from '../../db/schema';
import { orderColumns, toOrder } from '../order';
import type { OutboxEntry } from './outbox';
import { writeBatch } from './write-batch';

let sequence = 0;
function sold(userId: string, values: Partial<OutboxEntry> = {}): OutboxEntry {
  sequence += 1;
  const entryId = `${sequence}-0`;
  const made = { orderId: randomUUID(), code: `code-${sequence}`, requestId: randomUUID() };
  return { entryId, generation: 0, sequence, userId, createdAt: 1_700_000_000_123, ...made, ...values };
}

describe.each(databases)('a batch on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());

  /** Returns the order of each entry as a shopper reads it from the ledger. */
  async function writtenOrders(entries: readonly OutboxEntry[]) {
    const rows = await database.db.select(orderColumns).from(orders);
    const byId = new Map(rows.map((row) => [row.id, toOrder(row)]));
    return entries.map(({ orderId }) => byId.get(orderId));
  }
  const couponNow = (id: string) => database.db.query.coupons.findFirst({ where: eq(coupons.id, id) });

  test.each([
    { priceCents: 990, isHeld: true },
    { priceCents: 0, isHeld: false },
  ])('a settled order equals its row, at $priceCents cents', async (priced) => {
    const couponId = await insertCoupon(database.db, { priceCents: priced.priceCents, holdMs: 60_000 });
    const entries = [
      sold('ada'),
      sold('bob \\ "the", {quoted}', { requestId: null }),
      sold('ada'),
      sold('cleo', { generation: -1 }),
    ];
    const { settled, fence: mark } = await writeBatch(database.db, couponId, entries);

    expect(settled.map(({ order }) => order)).toEqual(await writtenOrders(entries));
    expect(settled.map(({ order }) => order.status)).toEqual([
      'confirmed',
      'confirmed',
      'cancelled',
      'cancelled',
    ]);
    expect(settled.map(({ isNew }) => isNew)).toEqual([true, true, true, true]);
    const [first, , second, foreign] = settled;
    expect(second?.blockingOrder, 'why the second order was refused').toEqual(first?.order);
    expect(foreign?.blockingOrder).toBeUndefined();
    const { confirmedAt = 0, holdUntil } = first?.order ?? {};
    expect(holdUntil).toBe(priced.isHeld ? confirmedAt + 60_000 : undefined);
    expect(mark).toEqual({ generation: 0, sequence: entries[2]?.sequence });
  });

  test('a repeated, longer batch keeps the written orders and sells only the others', async () => {
    const couponId = await insertCoupon(database.db, { stock: 3 });
    const entries = ['ada', 'bob', 'ada'].map((userId) => sold(userId));
    const first = await writeBatch(database.db, couponId, entries);
    const second = await writeBatch(database.db, couponId, [...entries, sold('cleo')]);

    expect(second.settled.slice(0, 3)).toEqual(first.settled.map((one) => ({ ...one, isNew: false })));
    expect(second.settled[3]).toMatchObject({ isNew: true, order: { status: 'confirmed' } });
    expect(await couponNow(couponId)).toMatchObject({ sold: 3, soldOutAt: expect.any(Date) });
    expect(second.isOversold).toBe(false);
    expect(await writeBatch(database.db, couponId, entries), 'of a coupon that is sold out').toMatchObject({
      isOversold: false,
    });
  });

  test('a written order stays, even if Postgres would refuse it now', async () => {
    const couponId = await insertCoupon(database.db, { stock: 2 });
    const entry = sold('mallory');
    const first = await writeBatch(database.db, couponId, [entry]);
    await database.db.execute(sql`
      alter table orders add constraint no_mallory check (user_id <> 'mallory') not valid`);
    const again = await writeBatch(database.db, couponId, [entry, sold('ada')]);
    await database.db.execute(sql`alter table orders drop constraint no_mallory`);
    expect(again.settled[0]).toEqual({ ...first.settled[0], isNew: false });
    expect(again.settled[1]).toMatchObject({ isNew: true, order: { status: 'confirmed' } });
    expect(await couponNow(couponId)).toMatchObject({ sold: 2 });
  });

  test('an entry that is delivered twice in one batch is one order', async () => {
    const couponId = await insertCoupon(database.db, { stock: 5 });
    const entry = sold('ada');
    const { settled } = await writeBatch(database.db, couponId, [entry, { ...entry, entryId: 'again' }]);
    expect(settled[1]?.order).toEqual(settled[0]?.order);
    expect(await couponNow(couponId)).toMatchObject({ sold: 1 });
  });

  test('the stock of a refused order goes to a later entry of the batch', async () => {
    const couponId = await insertCoupon(database.db, { stock: 2 });
    const entries = ['ada', 'ada', 'bob', 'cleo'].map((userId) => sold(userId));
    const { settled, isOversold } = await writeBatch(database.db, couponId, entries);
    expect(settled.map(({ order }) => order.status)).toEqual([
      'confirmed',
      'cancelled',
      'confirmed',
      'cancelled',
    ]);
    expect(isOversold).toBe(true);
    expect(await couponNow(couponId)).toMatchObject({ sold: 2 });
  });
});
