import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import * as schema from './schema';
import { isUnavailable } from './unavailable';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** The url is a PGlite behind its socket: one session in all, so one connection. */
  pglite: boolean;
  /** Told of connections that died while nobody used them; the pool replaces them. */
  log?: { warn(fields: object, message: string): void };
}

/** Drizzle over a pool. */
export type Db = NodePgDatabase<typeof schema>;
/** Drizzle within a transaction. */
export type Transaction = Parameters<Parameters<Db['transaction']>[0]>[0];

export interface Database {
  db: Db;
  pool: pg.Pool;
  /** Resolves when Postgres answers, rejects within a second when it does not. */
  ping(): Promise<void>;
  /** Waits for the connections in use, then ends them all. */
  close(): Promise<void>;
}

/** How long a call may wait for a connection, be it a new one or its turn. */
const CONNECT_TIMEOUT_MS = 2_000;
/** A statement that takes longer met a frozen Postgres; its connection is thrown away. */
const STATEMENT_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 1_000;
/** One session serves all of PGlite's clients: a second connection would wait inside the first one's transaction. */
const POOL_SIZE = { pglite: 1, postgres: 10 };

/**
 * Opens no connection yet. A Postgres that goes away fails calls at once or within two seconds, never ends the
 * process, and is found again by the next call after it is back.
 */
export function createDatabase({ url, pglite, log }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: pglite ? POOL_SIZE.pglite : POOL_SIZE.postgres,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'floodgate',
  });
  pool.on('error', (error) => log?.warn({ err: error }, 'An idle Postgres connection died.'));
  // A connection that dies in use also fails the statement it was running, which is where it is answered. Without a
  // listener the event itself would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));

  const db = drizzle(pool, { schema });

  return {
    db: Object.assign(db, { transaction: transactionsOn(pool) }),
    pool,

    async ping() {
      const timeout = rejectAfter(PING_TIMEOUT_MS, 'Postgres did not answer in time.');
      try {
        await Promise.race([pool.query('select 1'), timeout.promise]);
      } finally {
        timeout.cancel();
      }
    },

    close: () => pool.end(),
  };
}

/**
 * Drizzle's own transaction on a pool keeps the connection for ever when `begin` fails, which with a pool of one ends
 * everything; and it puts a connection back that timed out in the middle of a statement. This one does neither.
 */
function transactionsOn(pool: pg.Pool): Db['transaction'] {
  return async function transaction(work, config) {
    const client = await pool.connect();
    let broken = true;
    try {
      const result = await drizzle(client, { schema }).transaction(work, config);
      broken = false;
      return result;
    } catch (error) {
      broken = isUnavailable(error);
      throw error;
    } finally {
      client.release(broken);
    }
  };
}

function rejectAfter(ms: number, message: string): { promise: Promise<never>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  return { promise, cancel: () => clearTimeout(timer) };
}
