import path from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { root } from '../paths';
import { errorCodeOf } from './unavailable';

const migrationsFolder = path.join(root, 'server/db/migrations');

/** What the loser of two nodes that migrate at once is told. Its transaction is undone; then it finds the work done. */
const raceCodes = new Set([
  '23505', // unique_violation: two `create … if not exists` in one instant, in a system catalogue
  '40P01', // deadlock_detected
  '40001', // serialization_failure
  '42701', // duplicate_column
  '42704', // undefined_object: the other node dropped it
  '42703', // undefined_column: likewise
  '42710', // duplicate_object: a type or a constraint
  '42P01', // undefined_table: dropped likewise
  '42P06', // duplicate_schema
  '42P07', // duplicate_table: also an index
  'XX000', // "tuple concurrently updated"
]);
const TRIES = 5;

/**
 * Brings the schema up to date; nothing happens where it is. Any number of nodes may do so at once: all succeed. No lock
 * is taken, because advisory locks lock nobody out on PGlite; instead each migration must fail when it is run again,
 * as creating or dropping something does, so that the node that comes second notices.
 */
export async function migrateDatabase({ pool }: { pool: pg.Pool }): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await migrateOnce(pool);
      return;
    } catch (error) {
      if (tries === TRIES || !raceCodes.has(errorCodeOf(error) ?? '')) throw error;
    }
  }
}

/** On a connection that is thrown away after a failure, so that no half-done transaction outlives it. */
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
