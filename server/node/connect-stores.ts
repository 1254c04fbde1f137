import { type CallAccess, createDatabase, type Database, type Db } from '../db/client';
import { migrateDatabase } from '../db/migrate';
import { describeUnreachable } from '../db/unavailable';
import { seedDemo } from '../demo/seed';
import type { Env } from '../env';
import { StartError } from '../errors';
import type { Health } from '../finding';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import { connectRedis, type RedisClient } from '../redis/client';
import { createRedisHealth, type RedisHealth } from './redis-health';
import type { Step, Subsystem } from './subsystem';

/** The Redis connections by purpose: a purchase must not wait behind a job, and a subscriber can only subscribe. */
export type RedisConnections = Record<'decisions' | 'background' | 'subscriber', RedisClient>;

export interface Stores {
  redis: RedisConnections;
  redisHealth: RedisHealth;
  db: Db;
  calls: CallAccess;
}

/** Connects to Redis and Postgres, migrates, and seeds a demo. Throws a `StartError` if one cannot be reached. */
export async function connectStores({
  env,
  log,
  metrics,
  step,
}: {
  env: Env;
  log: Log;
  metrics: Metrics;
  step: Step;
}): Promise<Subsystem<Stores>> {
  const redis = await connectAll(env, log);
  const database = createDatabase({ url: env.DATABASE_URL, pglite: env.FLOODGATE_PGLITE, log });
  await step('migrate', () => migrate(database, env));
  const { db, calls } = database;
  if (env.FLOODGATE_DEMO) await step('seed', () => seedDemo(db, { now: Date.now() }));

  return {
    verbs: { redis, redisHealth: createRedisHealth({ redis: redis.decisions, log, metrics }), db, calls },
    checks: {
      // `/readyz` is public, so it does not show the cause.
      postgres: () =>
        database.ping().then(
          (): Health => ({ ok: true, detail: 'answers', findings: [{ code: 'answers' }] }),
          (): Health => ({ ok: false, detail: 'does not answer', findings: [{ code: 'no-answer' }] }),
        ),
    },
    async stop() {
      for (const client of Object.values(redis)) client.disconnect();
      await database.close();
    },
  };
}

async function connectAll(env: Env, log: Log): Promise<RedisConnections> {
  const connect = (purpose: string) =>
    connectRedis(env.REDIS_URL, (error) => log.debug({ err: error, purpose }, 'Redis cannot be reached.'));
  const [decisions, background, subscriber] = await Promise.all([
    connect('decisions'),
    connect('background'),
    connect('subscriber'),
  ]);
  return { decisions, background, subscriber };
}

async function migrate(database: Database, env: Env): Promise<void> {
  try {
    await database.ping();
  } catch (cause) {
    throw new StartError(describeUnreachable(env.DATABASE_URL, cause), { cause });
  }
  await migrateDatabase(database);
}
