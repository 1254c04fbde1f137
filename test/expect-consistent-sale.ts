import { expect } from 'vitest';
import type { Db } from '../server/db/client';
import { connectTestRedis } from './redis';
import { saleInvariants } from './sale-invariants';
import { readSettledSale } from './settled-sale';
import { waitUntil } from './wait-until';

/** Waits until a sale is settled, and expects that it breaks no invariant. */
export async function expectConsistentSale({
  db,
  redisUrl,
  couponId,
  seen,
}: {
  db: Db;
  redisUrl: string;
  couponId: string;
  /** Ids of orders that an answer called confirmed. */
  seen: readonly string[];
}): Promise<void> {
  const redis = await connectTestRedis(redisUrl);
  const sale = await waitUntil(() => readSettledSale({ db, redis, couponId }));
  expect(saleInvariants(sale, { seen }).filter(({ holds }) => !holds)).toEqual([]);
  redis.disconnect();
}
