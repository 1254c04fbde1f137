import { expect, vi } from 'vitest';
import type { Db } from '../server/db/client';
import { connectTestRedis } from './redis';
import { saleInvariants } from './sale-invariants';
import { readSettledSale } from './settled-sale';

/** Waits until nothing of a sale is on its way any more, and expects of it what no fault may break. */
export async function expectConsistentSale({
  db,
  redisUrl,
  couponId,
  seen,
}: {
  db: Db;
  redisUrl: string;
  couponId: string;
  /** Ids of orders that a caller was told are confirmed. */
  seen: readonly string[];
}): Promise<void> {
  const redis = await connectTestRedis(redisUrl);
  const sale = await vi.waitUntil(() => readSettledSale({ db, redis, couponId }), {
    timeout: 15_000,
    interval: 50,
  });
  expect(saleInvariants({ ...sale, seen }).filter(({ holds }) => !holds)).toEqual([]);
  redis.disconnect();
}
