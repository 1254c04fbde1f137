import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { databases } from '../../test/databases';
import { QueueFullError } from './call-queue';
import { isUnavailable } from './unavailable';

describe.each(databases)('a flood of reads on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());

  test('delays the ledger by at most one read, on a database with one session', async () => {
    const { db, calls } = database;
    let done = 0;
    const flood = Array.from({ length: 300 }, () =>
      calls.runRead(async () => {
        await calls.readDb.execute(sql`select count(*) from generate_series(1, 20000)`);
        done += 1;
      }),
    );
    const outcomes = Promise.allSettled(flood);
    await db.transaction((tx) => tx.execute(sql`select 1`));
    expect(done).toBeLessThanOrEqual(4);

    const refused = (await outcomes).filter((outcome) => outcome.status === 'rejected');
    expect(done + refused.length).toBe(300);
    expect(refused.length, 'two or one run, and 100 wait').toBeGreaterThanOrEqual(198);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(QueueFullError);
    expect(isUnavailable(refused[0]?.reason), 'its call answers 503').toBe(true);
  });

  test('leaves the ping of /readyz a connection', async () => {
    const { calls } = database;
    let done = 0;
    const flood = Array.from({ length: 80 }, () =>
      calls.runRead(async () => {
        await calls.readDb.execute(sql`select count(*) from generate_series(1, 20000)`);
        done += 1;
      }),
    );
    await database.ping();
    expect(done).toBeLessThanOrEqual(4);
    await Promise.all(flood);
  });

  test('leaves a connection to changes of orders', async () => {
    const { db, calls } = database;
    let done = 0;
    const flood = Array.from({ length: 80 }, () =>
      calls.runRead(async () => {
        await calls.readDb.execute(sql`select count(*) from generate_series(1, 20000)`);
        done += 1;
      }),
    );
    await calls.runChange(() => db.transaction((tx) => tx.execute(sql`select 1`)));
    expect(done).toBeLessThanOrEqual(6);
    await Promise.all(flood);
  });
});
