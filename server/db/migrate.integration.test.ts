import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { databases } from '../../test/databases';
import { postgresUrl } from '../../test/services/worker-services';
import { createDatabase } from './client';
import { migrateDatabase } from './migrate';
import journal from './migrations/meta/_journal.json' with { type: 'json' };
import { coupons, merchants } from './schema';
import { sharedSecret } from './shared-secret';
import { errorCodeOf } from './unavailable';

let database: TestDatabase;
afterEach(() => database.drop());

const text = { en: 'Noodles', zh: '面馆' };
const seckill = {
  merchantId: 'm',
  kind: 'seckill' as const,
  title: text,
  faceValueCents: 5_000,
  priceCents: 990,
  startsAt: new Date(0),
  endsAt: new Date(1),
};

describe.each(databases)('on $kind', ({ url, pglite }) => {
  test('a second migration changes nothing, and constraints enforce the rules of the sale', async () => {
    database = await freshDatabase(await url(), { pglite });
    await migrateDatabase(database);
    const { db } = database;
    const applied = await db.execute(sql`select count(*)::int as count from drizzle.__drizzle_migrations`);
    expect(applied.rows).toEqual([{ count: journal.entries.length }]);

    await db.insert(merchants).values({ id: 'm', name: text, category: text, address: text, about: text });
    const oversold = db.insert(coupons).values({ ...seckill, id: 'a', stock: 1, sold: 2 });
    await expect(oversold).rejects.toSatisfy((error) => errorCodeOf(error) === '23514');
    const withoutStock = db.insert(coupons).values({ ...seckill, id: 'b' });
    await expect(withoutStock).rejects.toSatisfy((error) => errorCodeOf(error) === '23514');
  });

  test('an error inside a transaction rolls it back and releases the connection', async () => {
    database = await freshDatabase(await url(), { pglite });
    const { db } = database;
    const failing = db.transaction(async (tx) => {
      await tx.insert(merchants).values({ id: 'm', name: text, category: text, address: text, about: text });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await db.select().from(merchants)).toEqual([]);
  });

  test('concurrent calls get the same shared secret', async () => {
    database = await freshDatabase(await url(), { pglite });
    const { db } = database;
    const values = await Promise.all(Array.from({ length: 5 }, () => sharedSecret(db, 'subjects')));
    expect(new Set(values).size).toBe(1);
    expect(values[0]).toMatch(/^[\w-]{43}$/);
    expect(await sharedSecret(db, 'another')).not.toBe(values[0]);
  });
});

test('eight nodes migrate one empty database at once: all succeed, each migration is applied once', async () => {
  database = await freshDatabase(await postgresUrl(), { migrated: false });
  const nodes = Array.from({ length: 8 }, () => createDatabase({ url: database.url, pglite: false }));
  await Promise.all(nodes.map(migrateDatabase));
  await Promise.all(nodes.map((node) => node.close()));
  const applied = await database.db.execute(
    sql`select count(*)::int as count from drizzle.__drizzle_migrations`,
  );
  expect(applied.rows).toEqual([{ count: journal.entries.length }]);
});
