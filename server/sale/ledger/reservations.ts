import { StoreUnavailableError, withinStoreTimeout } from '../../limiter';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { Order } from '../orders/order';

/**
 * The shopper's orders that the gate has accepted and the ledger has not written yet, in any of these coupons; for a
 * day also those that it could not write at all, which are cancelled.
 * None where Redis is away: then nobody knows of them, and what is confirmed stands in Postgres.
 */
export async function findReservations(
  redis: RedisClient,
  { userId, couponIds }: { userId: string; couponIds: readonly string[] },
): Promise<Order[]> {
  try {
    const reads = couponIds.map(async (couponId) => {
      const read = redis.hgetall(saleKeys(couponId).reservations(userId));
      const reserved = await withinStoreTimeout(read, 250);
      return Object.entries(reserved).map(([id, remembered]): Order => {
        const [createdAt, isCancelled] = parse(remembered);
        return { id, couponId, userId, status: isCancelled ? 'cancelled' : 'reserved', createdAt };
      });
    });
    return (await Promise.all(reads)).flat();
  } catch (error) {
    if (error instanceof StoreUnavailableError) return [];
    throw error;
  }
}

/** `purchase.lua` remembers the ms of an order's creation, and `dead-letter.lua` puts a word before it. */
function parse(remembered: string): [createdAt: number, isCancelled: boolean] {
  const createdAt = remembered.replace(/^cancelled /, '');
  return [Number(createdAt), createdAt !== remembered];
}
