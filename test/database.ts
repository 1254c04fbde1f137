import { randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { claimSocket } from '../scripts/exclusive-socket.mjs';
import { createDatabase, type Database } from '../server/db/client';
import { migrateDatabase } from '../server/db/migrate';

export interface TestDatabase extends Database {
  /** Of the fresh database, for a second pool or another process. */
  url: string;
  pglite: boolean;
  /** Closes the pool and removes what the test file left. */
  drop(): Promise<void>;
}

/**
 * An empty, migrated database for one test file: a database of its own on a Postgres server; on PGlite, which has only
 * one, the whole of it, for which files wait for one another.
 */
export async function freshDatabase(
  serverUrl: string,
  { pglite = false, migrated = true }: { pglite?: boolean; migrated?: boolean } = {},
): Promise<TestDatabase> {
  const { url, remove } = pglite ? await emptiedPglite(serverUrl) : await createdOnServer(serverUrl);
  const database = createDatabase({ url, pglite });
  if (migrated) await migrateDatabase(database);
  return {
    ...database,
    url,
    pglite,
    async drop() {
      await database.close();
      await remove();
    },
  };
}

async function createdOnServer(serverUrl: string): Promise<{ url: string; remove: () => Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await run(serverUrl, `create database ${name}`);
  return { url: url.href, remove: () => run(serverUrl, `drop database ${name} with (force)`) };
}

async function emptiedPglite(serverUrl: string): Promise<{ url: string; remove: () => Promise<void> }> {
  const turn = path.join(os.tmpdir(), `floodgate-pglite-${new URL(serverUrl).port}.sock`);
  let claim = await claimSocket(turn);
  while (!claim) {
    await sleep(20);
    claim = await claimSocket(turn);
  }
  const { server } = claim;
  await run(
    serverUrl,
    'drop schema if exists drizzle cascade; drop schema public cascade; create schema public',
  );
  return {
    url: serverUrl,
    remove: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function run(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
