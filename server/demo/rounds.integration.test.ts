import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertCoupon } from '../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { queryDatabases } from '../../test/databases';
import { coupons } from '../db/schema';
import { changeCouponRow } from '../sale/coupons/coupon-commands';
import { createRounds } from './rounds';

const HOUR = 60 * 60 * 1000;
describe.each(queryDatabases)('rounds on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());

  /** Opens rounds on several nodes at once, at this instant. Returns the announced rounds. */
  async function tickAt(instant: number, { nodes = 1 } = {}): Promise<string[]> {
    const opened: string[] = [];
    const onOpened = async (couponId: string) => opened.push(couponId);
    const ticks = Array.from({ length: nodes }, () =>
      createRounds({ db: database.db, onOpened, now: () => instant }).openNextRounds(),
    );
    await Promise.all(ticks);
    return opened;
  }
  const couponOf = async (id: string) =>
    (await database.db.select().from(coupons).where(eq(coupons.id, id)))[0];

  test('30 s after a seckill sold out, its next round opens with the same stock and duration', async () => {
    const soldOutAt = Date.UTC(2026, 0, 1, 12);
    await insertCoupon(database.db, {
      id: 'pie-r1',
      series: 'pie',
      stock: 20,
      sold: 20,
      generation: 3,
      startsAt: new Date(soldOutAt - HOUR),
      endsAt: new Date(soldOutAt + HOUR),
      soldOutAt: new Date(soldOutAt),
    });
    expect(await tickAt(soldOutAt + 29_999)).toEqual([]);
    expect(await tickAt(soldOutAt + 30_000)).toEqual(['pie-r2']);

    const opensAt = new Date(soldOutAt + 30_000);
    expect(await couponOf('pie-r1')).toMatchObject({ nextRoundAt: opensAt, sold: 20 });
    expect(await couponOf('pie-r2')).toMatchObject({
      merchantId: 'merchant-of-pie-r1',
      series: 'pie',
      round: 2,
      stock: 20,
      sold: 0,
      generation: 0,
      priceCents: 990,
      startsAt: opensAt,
      endsAt: new Date(opensAt.getTime() + 2 * HOUR),
      soldOutAt: null,
      nextRoundAt: null,
    });
  });

  test('an ended round is followed by another, like a sold-out one', async () => {
    const endsAt = Date.UTC(2026, 1, 1);
    await insertCoupon(database.db, {
      id: 'tea-r1',
      series: 'tea',
      startsAt: new Date(endsAt - HOUR),
      endsAt: new Date(endsAt),
    });
    expect(await tickAt(endsAt + 30_000)).toContain('tea-r2');
    expect(await tickAt(endsAt + 30_000 + HOUR + 30_000)).toContain('tea-r3');
  });

  test.each([
    { how: 'closed', what: 'coupon.close', endsInMs: 0 },
    { how: 'shortened', what: 'coupon.update', endsInMs: 60_000 },
  ])('a round that an operator $how is the last of its series', async ({ how, what, endsInMs }) => {
    const now = Date.UTC(2026, 2, 1);
    const id = `egg-${how}-r1`;
    const startsAt = new Date(now - HOUR);
    await insertCoupon(database.db, { id, series: `egg-${how}`, startsAt, endsAt: new Date(now + HOUR) });
    await changeCouponRow(database.db, {
      ...{ id, what, who: 'dara' },
      change: (before) => ({ ...before, endsAt: now + endsInMs }),
    });
    expect(await tickAt(now + endsInMs + HOUR)).not.toContain(`egg-${how}-r2`);
    expect((await couponOf(id))?.nextRoundAt).toBeNull();
  });

  test('a round that an operator closes in the pause after its end is the last of its series', async () => {
    const endsAt = Date.UTC(2026, 4, 1);
    const startsAt = new Date(endsAt - HOUR);
    await insertCoupon(database.db, { id: 'fig-r1', series: 'fig', startsAt, endsAt: new Date(endsAt) });
    const close = () =>
      changeCouponRow(database.db, {
        ...{ id: 'fig-r1', what: 'coupon.close', who: 'dara' },
        change: (before) => before,
      });
    expect(await close()).toMatchObject({ revision: 1 });
    expect(await tickAt(endsAt + HOUR)).not.toContain('fig-r2');
    expect(await close(), 'once').toBeUndefined();
  });

  test('a round that an operator changed but did not shorten is followed by another', async () => {
    const endsAt = Date.UTC(2026, 3, 1);
    const startsAt = new Date(endsAt - HOUR);
    await insertCoupon(database.db, { id: 'nut-r1', series: 'nut', startsAt, endsAt: new Date(endsAt) });
    await changeCouponRow(database.db, {
      ...{ id: 'nut-r1', what: 'coupon.update', who: 'dara' },
      change: (before) => ({ ...before, priceCents: 1, endsAt: endsAt + HOUR }),
    });
    expect(await tickAt(endsAt + HOUR + 30_000)).toContain('nut-r2');
    expect((await couponOf('nut-r2'))?.priceCents).toBe(1);
  });

  test('many nodes open a round once, and onOpened is called on one of them', async () => {
    await insertCoupon(database.db, {
      id: 'jam-r1',
      series: 'jam',
      startsAt: new Date(Date.UTC(2025, 0, 1)),
      endsAt: new Date(Date.UTC(2025, 0, 2)),
    });
    const opened = await tickAt(Date.UTC(2025, 0, 3), { nodes: 8 });
    expect(opened.filter((id) => id.startsWith('jam'))).toEqual(['jam-r2']);
  });

  test('a seckill of an operator has no rounds, and a claim has none', async () => {
    const over = { startsAt: new Date(Date.UTC(2024, 0, 1)), endsAt: new Date(Date.UTC(2024, 0, 2)) };
    await insertCoupon(database.db, { id: 'made-by-hand', ...over });
    await insertCoupon(database.db, { id: 'claimed', kind: 'claim', priceCents: 0, ...over });
    expect(await tickAt(Date.UTC(2024, 0, 3))).toEqual([]);
  });
});
