import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { databases } from '../../test/databases';
import { createDatabase } from '../db/client';
import { limitPersonOverrides } from '../db/limit-schema';
import { auditLog, coupons, merchants } from '../db/schema';
import { seedDemo } from './seed';

describe.each(databases)('the seed on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());

  const everything = async () => ({
    merchants: await database.db.select().from(merchants).orderBy(merchants.id),
    coupons: await database.db.select().from(coupons).orderBy(coupons.id),
  });

  test('concurrent and repeated seeds leave the first seed unchanged', async () => {
    const firstStart = Date.UTC(2026, 0, 1);
    const other = createDatabase({ url: database.url, pglite });
    await Promise.all([database, other].map(({ db }) => seedDemo(db, { now: firstStart })));
    await other.close();
    const seeded = await everything();
    expect(seeded.merchants).toHaveLength(12);
    expect(seeded.coupons).toHaveLength(16);

    await database.db.update(coupons).set({ priceCents: 1 }).where(eq(coupons.id, 'hotpot-50-r1'));
    const changed = await everything();
    await seedDemo(database.db, { now: firstStart + 60_000 });
    expect(await everything()).toEqual(changed);
  });

  test('the VIP has a limit of her own, which stays removed once an operator removed it', async () => {
    const now = Date.UTC(2026, 0, 1);
    const other = createDatabase({ url: database.url, pglite });
    await Promise.all([database, other].map(({ db }) => seedDemo(db, { now })));
    await other.close();
    const own = await database.db.select().from(limitPersonOverrides);
    expect(own).toMatchObject([{ policy: 'coupon.seckill', level: 'user', limit: 20, subject: 'dem…ip' }]);
    const logged = await database.db.select().from(auditLog).where(eq(auditLog.what, 'limit.person.set'));
    expect(logged).toMatchObject([{ who: 'demo', why: 'VIP', after: { kind: 'numbers', limit: 20 } }]);
    await database.db.delete(limitPersonOverrides);
    await seedDemo(database.db, { now });
    expect(await database.db.select().from(limitPersonOverrides)).toEqual([]);
  });
});
