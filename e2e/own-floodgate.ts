import { loadShop } from '../test/big-shop';
import { connectTestRedis } from '../test/redis';
import { startBuiltServer } from '../test/services/built-server';
import { startPostgres } from '../test/services/postgres';
import { startRedis } from '../test/services/redis';
import { signalAll } from '../test/services/signal-all';
import { makeTempFolder } from '../test/services/temp-folder';
import { withPostgres } from '../test/with-postgres';
import { test as base, expect } from './fixtures';

/** A private Floodgate, whose stores a test may kill and whose sales it may create. */
interface OwnFloodgate {
  url: string;
  redis: {
    kill(): Promise<void>;
    restart(): Promise<void>;
    freeze(): void;
    thaw(): void;
    run(command: string, ...args: string[]): Promise<unknown>;
  };
  postgres: { kill(): Promise<void>; restart(): Promise<void>; freeze(): void; thaw(): void };
  /** Inserts a seckill coupon that opens after `opensInMs`. Its saving is the largest, so that the sale features it. */
  addSale(title: string, options: SaleOptions): Promise<void>;
  /** Ends the pause after a sold-out sale: its next round opens within a second. */
  endPause(title: string): Promise<void>;
  /** Ends a sale without a next round, so that later tests do not see it. */
  endSale(title: string): Promise<void>;
}

interface SaleOptions {
  opensInMs: number;
  /** Default: 20. */
  stock?: number;
  /** The hold of an unpaid order. Default: 15 minutes. */
  holdMs?: number;
}

/** Playwright's test on a private server, Redis and Postgres, which the tests of a worker share. */
export const test = base.extend<object, { floodgate: OwnFloodgate; liveCoupons: number }>({
  /** Live coupons besides those of the demo, named `Dinner number N for two`. */
  liveCoupons: [0, { option: true, scope: 'worker' }],

  floodgate: [
    async ({ liveCoupons }, use) => {
      const folder = await makeTempFolder('ledger');
      let [redis, database] = await Promise.all([startRedis(), startPostgres({ dir: folder.dir })]);
      const server = await startBuiltServer({
        REDIS_URL: redis.url,
        DATABASE_URL: database.url,
        FLOODGATE_DEMO: '1',
        TRUSTED_PROXIES: '127.0.0.1',
        // Tests kill Redis, which would fill the report with log lines.
        LOG_LEVEL: 'silent',
      });
      if (liveCoupons > 0) await loadShop(database.url, { merchants: 20, live: liveCoupons });
      await use({
        url: server.url,
        redis: {
          kill: () => redis.kill(),
          async restart() {
            redis = await startRedis({ port: redis.port });
          },
          freeze: () => signalAll(redis.pid, 'SIGSTOP'),
          thaw: () => signalAll(redis.pid, 'SIGCONT'),
          async run(command, ...args) {
            const client = await connectTestRedis(redis.url);
            try {
              return await client.call(command, ...args);
            } finally {
              client.disconnect();
            }
          },
        },
        postgres: {
          kill: () => database.kill(),
          async restart() {
            // The child processes of the killed server use its files for a moment longer.
            await expect(async () => {
              database = await startPostgres({ dir: folder.dir, port: database.port });
            }).toPass();
          },
          freeze: () => signalAll(database.pid, 'SIGSTOP'),
          thaw: () => signalAll(database.pid, 'SIGCONT'),
        },
        addSale: (title, { opensInMs, stock = 20, holdMs = 900_000 }) =>
          inLedger(
            database.url,
            `insert into coupons (id, series, merchant_id, kind, title, face_value_cents, price_cents, stock, hold_ms,
                                  starts_at, ends_at)
             select added.id, added.id, (select min(id) from merchants), 'seckill', $1, 9900, 500, $3, $4,
                    now() + $2 * interval '1 ms', now() + interval '1 day'
             from (select gen_random_uuid()::text as id) as added`,
            [{ en: title, zh: title }, opensInMs, stock, holdMs],
          ),
        endPause: (title) =>
          inLedger(
            database.url,
            `update coupons set sold_out_at = sold_out_at - interval '30 s' where title ->> 'en' = $1`,
            [title],
          ),
        endSale: (title) =>
          inLedger(
            database.url,
            `update coupons set ends_at = now(), next_round_at = now(), change = nextval('coupon_changes'),
              gate_changed_at = now() where title ->> 'en' = $1`,
            [title],
          ),
      });
      await server.stop();
      await Promise.all([redis.stop(), database.stop()]);
      await folder.remove();
    },
    { scope: 'worker' },
  ],

  // An earlier test may have killed a store and ended before every part of the server had recovered.
  baseURL: async ({ floodgate: { url } }, use) => {
    await expect(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200)).toPass();
    await use(url);
  },
});

async function inLedger(databaseUrl: string, statement: string, values: unknown[]): Promise<void> {
  await withPostgres(databaseUrl, (client) => client.query(statement, values));
}
