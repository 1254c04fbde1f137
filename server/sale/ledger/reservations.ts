import { StoreUnavailableError, withinStoreTimeout } from '../../limiter';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { Order } from '../orders/order';

const WAIT_MS = 250;

/**
 * Finds the shopper's orders of these coupons that the gate has accepted and the ledger has not written. For a day this
 * includes orders that the ledger could not write, as cancelled. Returns none while Redis is down.
 */
export async function findReservations(
  redis: RedisClient,
  { userId, couponIds }: { userId: string; couponIds: readonly string[] },
): Promise<Order[]> {
  try {
    const reads = couponIds.map(async (couponId) => {
      const reading = redis.hgetall(saleKeys(couponId).reservations(userId));
      const reserved = await withinStoreTimeout(reading, WAIT_MS);
      return Object.entries(reserved).map(([id, stored]): Order => {
        const [createdAt, isCancelled] = parseReservation(stored);
        return { id, couponId, userId, status: isCancelled ? 'cancelled' : 'reserved', createdAt };
      });
    });
    return (await Promise.all(reads)).flat();
  } catch (error) {
    if (error instanceof StoreUnavailableError) return [];
    throw error;
  }
}

/** Parses `<ms>` of `purchase.lua` and `cancelled <ms>` of `dead-letter.lua`. */
function parseReservation(stored: string): [createdAt: number, isCancelled: boolean] {
  const createdAt = stored.replace(/^cancelled /, '');
  return [Number(createdAt), createdAt !== stored];
}
