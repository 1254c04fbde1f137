import { count, eq } from 'drizzle-orm';
import type { Redis } from 'ioredis';
import { orders } from '../server/db/schema';
import { connectTestRedis } from '../test/redis';
import type { QueueEvidence } from './judge-queue';
import type { Topology } from './topology';

const POLICY_KEYS = '*{coupon.seckill}';

/** Reads what Redis and Postgres have of the turns of a sale. */
export async function readEvidence(
  { store, database }: Topology,
  couponId: string,
): Promise<Pick<QueueEvidence, 'inRedis' | 'orders'>> {
  const rows = await database.db
    .select({ requestId: orders.requestId, count: count() })
    .from(orders)
    .where(eq(orders.couponId, couponId))
    .groupBy(orders.requestId);
  const redis = await connectTestRedis(store.url);
  try {
    const masters = 'nodes' in redis ? redis.nodes('master') : [redis];
    const totals = await Promise.all(masters.map(readMaster));
    return {
      inRedis: {
        served: sumOf(totals.map(({ served }) => served)),
        tickets: sumOf(totals.map(({ tickets }) => tickets)),
        requestIds: sumOf(totals.map(({ requestIds }) => requestIds)),
      },
      orders: new Map(rows.map((row) => [row.requestId ?? '', row.count])),
    };
  } finally {
    redis.disconnect();
  }
}

/** Counts the turns and the charged request ids of one master. */
async function readMaster(redis: Redis): Promise<QueueEvidence['inRedis']> {
  const keysOf = (end: string) => redis.keys(POLICY_KEYS + end);
  const [states, open, ended, requests] = await Promise.all(
    [':queue:state', ':queue:served', ':queue:ended-*', '#*'].map(keysOf),
  );
  const totals = await Promise.all((states ?? []).map((key) => redis.hget(key, 'total')));
  const running = await Promise.all((open ?? []).map((key) => redis.hlen(key)));
  const texts = await Promise.all((ended ?? []).map((key) => redis.hvals(key)));
  // State, detail and the instant of the charge; see lua/limiter/queue.lua.
  const charged = texts.flat().filter((text) => /^(served|void)\n.*\n\d+\n/.test(text)).length;
  return {
    served: sumOf(totals.map(Number)),
    tickets: sumOf(running) + charged,
    requestIds: requests?.length ?? 0,
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
