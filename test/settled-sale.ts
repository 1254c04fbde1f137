import { and, eq, inArray } from 'drizzle-orm';
import type { Db } from '../server/db/client';
import { coupons, orders } from '../server/db/schema';
import type { RedisClient } from '../server/redis/client';
import { saleKeys } from '../server/redis/keys';
import type { SettledSale } from './sale-invariants';

/** Reads a sale from gate and ledger. Returns undefined while a rebuild is due or the outbox has orders. */
export async function readSettledSale({
  db,
  redis,
  couponId,
}: {
  db: Db;
  redis: RedisClient;
  couponId: string;
}): Promise<SettledSale | undefined> {
  const keys = saleKeys(couponId);
  const [row] = await db.select().from(coupons).where(eq(coupons.id, couponId));
  const reserved = await redis.xlen(keys.outbox);
  const [generation, remaining] = await redis.hmget(keys.gate, 'generation', 'remaining');
  if (!row || reserved > 0 || Number(generation) !== row.generation) return undefined;
  const confirmed = await db
    .select({ id: orders.id, userId: orders.userId })
    .from(orders)
    .where(and(eq(orders.couponId, couponId), inArray(orders.status, ['confirmed', 'paid'])));
  return { total: row.stock ?? 0, sold: row.sold, remaining: Number(remaining), reserved, confirmed };
}
