import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { createDatabase, type Database } from '../server/db/client';
import { migrateDatabase } from '../server/db/migrate';
import { withPostgres } from './with-postgres';

export interface TestDatabase extends Database {
  /** The address of the database, for a second pool or another process. */
  url: string;
  pglite: boolean;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/**
 * Creates an empty, migrated database for one test file: a new one on a Postgres server, or the emptied database of the
 * worker's PGlite.
 */
export async function freshDatabase(
  serverUrl: string,
  { pglite = false, migrated = true }: { pglite?: boolean; migrated?: boolean } = {},
): Promise<TestDatabase> {
  const { url, remove } = pglite
    ? await emptiedPglite(serverUrl)
    : await createOnServer(serverUrl, migrated ? await templateOf(serverUrl) : 'template1');
  const database = createDatabase({ url, pglite });
  if (pglite && migrated) await migrateDatabase(database);
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

/** Deletes all coupons and what refers to them: a sale that starts opens the gates of all coupons, also of earlier tests. */
export async function emptySales(db: Database['db']): Promise<void> {
  await db.execute(sql`truncate payments, order_requests, orders, coupons, audit_log cascade`);
}

/** The migrated database of each server, of which others are copies: a copy takes half the CPU time of a migration. */
const templates = new Map<string, Promise<string>>();

function templateOf(serverUrl: string): Promise<string> {
  const template = templates.get(serverUrl) ?? createTemplate(serverUrl);
  templates.set(serverUrl, template);
  return template;
}

async function createTemplate(serverUrl: string): Promise<string> {
  const { url } = await createOnServer(serverUrl, 'template1');
  const database = createDatabase({ url, pglite: false });
  await migrateDatabase(database);
  await database.close();
  return new URL(url).pathname.slice(1);
}

async function createOnServer(
  serverUrl: string,
  template: string,
): Promise<{ url: string; remove: () => Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await run(serverUrl, `create database ${name} template ${template}`);
  return { url: url.href, remove: () => run(serverUrl, `drop database ${name} with (force)`) };
}

async function emptiedPglite(serverUrl: string): Promise<{ url: string; remove: () => Promise<void> }> {
  await run(
    serverUrl,
    'drop schema if exists drizzle cascade; drop schema public cascade; create schema public',
  );
  return { url: serverUrl, remove: async () => undefined };
}

async function run(url: string, statements: string): Promise<void> {
  await withPostgres(url, (client) => client.query(statements));
}
