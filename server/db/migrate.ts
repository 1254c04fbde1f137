import path from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { root } from '../paths';
import { errorCodeOf } from './unavailable';

const migrationsFolder = path.join(root, 'server/db/migrations');

/** Errors of the slower of two nodes that migrate at once. Its transaction is rolled back, and the next try finds the schema migrated. */
const raceCodes = new Set([
  '23505', // unique_violation: two `create … if not exists` at once, in a system catalog
  '40P01', // deadlock_detected
  '40001', // serialization_failure
  '42701', // duplicate_column
  '42704', // undefined_object: the other node dropped it
  '42703', // undefined_column: the other node dropped it
  '42710', // duplicate_object: a type or a constraint
  '42P01', // undefined_table: the other node dropped it
  '42P06', // duplicate_schema
  '42P07', // duplicate_table: also an index
  'XX000', // "tuple concurrently updated"
]);
const MAX_TRIES = 5;

/**
 * Migrates the schema to the newest version. Any number of nodes may migrate at once. There is no lock, because advisory
 * locks have no effect on PGlite. Instead each migration must fail if it runs twice, as `create` and `drop` do, so that
 * the slower node rolls back.
 */
export async function migrateDatabase({ pool }: { pool: pg.Pool }): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await migrateOnce(pool);
      return;
    } catch (error) {
      if (tries === MAX_TRIES || !raceCodes.has(errorCodeOf(error) ?? '')) throw error;
    }
  }
}

/** Migrates once, on a connection that is closed after a failure together with its transaction. */
async function migrateOnce(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  let broken = true;
  try {
    await migrate(drizzle(client), { migrationsFolder });
    broken = false;
  } finally {
    client.release(broken);
  }
}
