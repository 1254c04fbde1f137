import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { withTimeout } from '../timers';
import { createCallQueue, type RunQueued } from './call-queue';
import * as schema from './schema';
import { isUnavailable } from './unavailable';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** True if the URL is a PGlite behind its socket server. It has one session, so one connection. */
  pglite: boolean;
  /** Logs idle connections that died. The pool replaces them. */
  log?: { warn(fields: object, message: string): void };
}

/** Drizzle over a pool. */
export type Db = NodePgDatabase<typeof schema>;
/** Drizzle within a transaction. */
export type Transaction = Parameters<Parameters<Db['transaction']>[0]>[0];

export interface Database {
  /** Drizzle over the connections of the ledger, the jobs and the operators. */
  db: Db;
  pool: pg.Pool;
  calls: CallAccess;
  /** Resolves when Postgres answers, rejects within a second when it does not. */
  ping(): Promise<void>;
  /** Waits for the connections in use, then ends them all. */
  close(): Promise<void>;
}

/** The bounded database access of calls, so that a flood leaves connections to the ledger. */
export interface CallAccess {
  /**
   * Drizzle over connections that nothing else uses; on PGlite over the only one. Send a read that all callers share
   * here, and any other through `runRead`.
   */
  readDb: Db;
  /** Runs a read on `readDb`. Rejects with `QueueFullError` when too many others wait. */
  runRead: RunQueued;
  /** Runs a change, or a read for it, on `db`, most of whose connections stay free for the ledger. Rejects like `runRead`. */
  runChange: RunQueued;
}

/** Timeout of getting a connection, a new or a pooled one. */
const CONNECT_TIMEOUT_MS = 2_000;
/** A longer statement means a frozen Postgres. Its connection is closed. */
const STATEMENT_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 1_000;
/**
 * Number of connections, and of queued calls that use them at once. One read connection is left for shared reads, and one
 * for the ping of `/readyz`. PGlite has one session for all clients: a second connection would wait inside the first
 * one's transaction, so there only the queues protect the ledger.
 */
const SIZES = {
  postgres: { connections: 10, readConnections: 4, readPermits: 2, changePermits: 3 },
  pglite: { connections: 1, readConnections: 0, readPermits: 1, changePermits: 1 },
};

/**
 * All orders of a full window may be cancelled or paid at once, also with ten times the declared limit of 100. Changes pass
 * a limit before, so their number is no flood; those that wait for two seconds are dropped.
 */
export const MAX_WAITING_CHANGES = 1_000;

/**
 * Creates the pools without opening a connection. While Postgres is down, calls fail within two seconds and the process
 * goes on. The next call after its return connects again.
 */
export function createDatabase({ url, pglite, log }: DatabaseOptions): Database {
  const { connections, readConnections, readPermits, changePermits } = SIZES[pglite ? 'pglite' : 'postgres'];
  const pool = createPool({ url, log, max: connections });
  const readPool = readConnections > 0 ? createPool({ url, log, max: readConnections }) : pool;
  const db = createDb(pool);

  return {
    db,
    pool,
    calls: {
      readDb: readPool === pool ? db : createDb(readPool),
      runRead: createCallQueue({ permits: readPermits }),
      runChange: createCallQueue({ permits: changePermits, maxWaiting: MAX_WAITING_CHANGES }),
    },

    async ping() {
      await withTimeout<unknown>(readPool.query('select 1'), PING_TIMEOUT_MS, () => {
        throw new Error('Postgres did not answer in time.');
      });
    },

    async close() {
      await Promise.all([...new Set([pool, readPool])].map((one) => one.end()));
    },
  };
}

function createPool({ url, log, max }: Pick<DatabaseOptions, 'url' | 'log'> & { max: number }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'floodgate',
  });
  pool.on('error', (error) => log?.warn({ err: error }, 'An idle Postgres connection died.'));
  // A connection that dies in use also rejects its statement, which the caller handles. Without a listener, the event
  // would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function createDb(pool: pg.Pool): Db {
  const db = drizzle(pool, { schema });
  return Object.assign(db, { transaction: transactionsOn(pool) });
}

/**
 * Replaces Drizzle's transaction on a pool, which never releases the connection if `begin` fails (fatal with a pool of
 * one), and which reuses a connection that timed out during a statement.
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
