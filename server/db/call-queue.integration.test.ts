import { sql } from 'drizzle-orm';
import pg from 'pg';
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

  /**
   * Makes reads on Postgres wait until the returned function is called. PGlite has one session, in which a lock does not
   * wait: there each read ends at once.
   */
  async function blockReads(): Promise<() => Promise<void>> {
    if (pglite) return async () => undefined;
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('select pg_advisory_lock(1)');
    return () => blocker.end();
  }

  const MAX_DONE = pglite ? 2 : 0;

  test('delays the ledger by at most one read, on a database with one session', async () => {
    const { db, calls } = database;
    const unblockReads = await blockReads();
    let done = 0;
    const flood = Array.from({ length: 300 }, () =>
      calls.runRead(async () => {
        await calls.readDb.execute(sql`select pg_advisory_xact_lock_shared(1)`);
        done += 1;
      }),
    );
    const outcomes = Promise.allSettled(flood);
    await db.transaction((tx) => tx.execute(sql`select 1`));
    expect(done).toBeLessThanOrEqual(MAX_DONE);
    await unblockReads();

    const refused = (await outcomes).filter((outcome) => outcome.status === 'rejected');
    expect(done + refused.length).toBe(300);
    expect(refused.length, 'two or one run, and 100 wait').toBeGreaterThanOrEqual(198);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(QueueFullError);
    expect(isUnavailable(refused[0]?.reason), 'its call answers 503').toBe(true);
  });

  test('leaves the ping of /readyz a connection', async () => {
    const { calls } = database;
    const unblockReads = await blockReads();
    let done = 0;
    const flood = Array.from({ length: 80 }, () =>
      calls.runRead(async () => {
        await calls.readDb.execute(sql`select pg_advisory_xact_lock_shared(1)`);
        done += 1;
      }),
    );
    await database.ping();
    expect(done).toBeLessThanOrEqual(MAX_DONE);
    await unblockReads();
    await Promise.all(flood);
  });

  test('leaves a connection to changes of orders', async () => {
    const { db, calls } = database;
    const unblockReads = await blockReads();
    let done = 0;
    const flood = Array.from({ length: 80 }, () =>
      calls.runRead(async () => {
        await calls.readDb.execute(sql`select pg_advisory_xact_lock_shared(1)`);
        done += 1;
      }),
    );
    await calls.runChange(() => db.transaction((tx) => tx.execute(sql`select 1`)));
    expect(done).toBeLessThanOrEqual(MAX_DONE);
    await unblockReads();
    await Promise.all(flood);
  });
});
