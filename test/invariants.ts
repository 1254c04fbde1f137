import { eq } from 'drizzle-orm';
import { expect, vi } from 'vitest';
import type { Db } from '../server/db/client';
import { coupons, orders } from '../server/db/schema';
import { saleKeys } from '../server/redis/keys';
import { connectTestRedis } from './redis';

/**
 * What no fault may break, once nothing is on its way any more: not more confirmed than there is, one order to a
 * shopper, every confirmation that a caller saw in Postgres, and gate and ledger agreed on what is left.
 */
export async function expectWholeSale({
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
  const keys = saleKeys(couponId);
  const gateAndLedger = async () => {
    const [row] = await db.select().from(coupons).where(eq(coupons.id, couponId));
    const reserved = await redis.xlen(keys.outbox);
    const remaining = Number(await redis.hget(keys.gate, 'remaining'));
    const isCurrent = Number(await redis.hget(keys.gate, 'generation')) === row?.generation;
    return { isCurrent, reserved, remaining, sold: row?.sold ?? 0, total: row?.stock ?? 0 };
  };
  await vi.waitUntil(
    async () => {
      const { isCurrent, reserved } = await gateAndLedger();
      return isCurrent && reserved === 0;
    },
    { timeout: 15_000, interval: 50 },
  );
  const { reserved, remaining, sold, total } = await gateAndLedger();
  expect(remaining + reserved + sold).toBe(total);

  const written = await db.select().from(orders).where(eq(orders.couponId, couponId));
  const confirmed = written.filter(({ status }) => status === 'confirmed');
  expect(confirmed.length).toBe(sold);
  expect(confirmed.length).toBeLessThanOrEqual(total);
  expect(new Set(confirmed.map(({ userId }) => userId)).size).toBe(confirmed.length);
  const inLedger = new Set(confirmed.map(({ id }) => id));
  expect(seen.filter((id) => !inLedger.has(id))).toEqual([]);
  redis.disconnect();
}
