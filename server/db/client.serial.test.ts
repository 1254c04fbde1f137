import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startPostgres } from '../../test/services/postgres';
import { makeTempFolder } from '../../test/services/temp-folder';
import type { TestService } from '../../test/services/test-service';
import { pgliteUrl } from '../../test/services/worker-services';
import { createDatabase, type Database } from './client';
import { isUnavailable } from './unavailable';

/** Answers the error of a call that must fail, and how long the failure took. */
async function failure(call: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const started = performance.now();
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, ms: performance.now() - started };
}

describe('a Postgres that stops and returns', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let server: TestService;
  let database: Database;
  const warnings: string[] = [];

  beforeAll(async () => {
    folder = await makeTempFolder('away');
    server = await startPostgres({ dir: folder.dir });
    database = createDatabase({
      url: server.url,
      pglite: false,
      log: { warn: (_fields, message) => warnings.push(message) },
    });
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
    await folder.remove();
  });
  beforeEach(async () => {
    await database.ping();
    warnings.length = 0;
  });

  test('killed: an idle and a busy connection die without ending the process, calls fail at once and succeed after the restart', async () => {
    const busy = failure(database.db.transaction((tx) => tx.execute(sql`select pg_sleep(60)`)));
    const idle = await database.pool.connect();
    idle.release();
    await server.kill();

    expect(isUnavailable((await busy).error)).toBe(true);
    await expect.poll(() => warnings).toContain('An idle Postgres connection died.');
    for (const call of [() => database.ping(), () => database.db.transaction(async () => undefined)]) {
      const { error, ms } = await failure(call());
      expect(isUnavailable(error)).toBe(true);
      expect(ms).toBeLessThan(250);
    }

    // The child processes of the killed server use its files for a moment longer.
    server = await vi.waitFor(() => startPostgres({ dir: folder.dir, port: server.port }), {
      timeout: 10_000,
    });
    await database.ping();
    await database.db.transaction((tx) => tx.execute(sql`select 1`));
  });

  test('frozen: a ping fails within a second and a half, and succeeds after the thaw', async () => {
    // It has no connection yet, and the frozen postmaster opens none.
    const fresh = createDatabase({ url: server.url, pglite: false });
    process.kill(server.pid, 'SIGSTOP');
    const { error, ms } = await failure(fresh.ping());
    process.kill(server.pid, 'SIGCONT');
    expect(error).toMatchObject({ message: 'Postgres did not answer in time.' });
    expect(ms).toBeLessThan(1_500);
    await fresh.ping();
    await fresh.close();
  });

  test('a pool without a free connection fails calls within two and a half seconds', async () => {
    const taken = await Promise.all(Array.from({ length: 10 }, () => database.pool.connect()));
    const { error, ms } = await failure(database.db.execute(sql`select 1`));
    for (const client of taken) client.release();
    expect(isUnavailable(error)).toBe(true);
    expect(ms).toBeLessThan(2_500);
  });
});

test('on PGlite one connection serves all calls, one after the other', async () => {
  const database = createDatabase({ url: await pgliteUrl(), pglite: true });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      database.db.transaction((tx) => tx.execute<{ n: number }>(sql`select ${n}::int as n`)),
    ),
  );
  expect(answers.flatMap(({ rows }) => rows)).toEqual(Array.from({ length: 20 }, (_, n) => ({ n })));
  expect(database.pool.totalCount).toBe(1);
  await database.close();
});
