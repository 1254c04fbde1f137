import { StoreUnavailableError, withinStoreTimeout } from '../../limiter/index';
import type { RedisClient } from '../../redis/client';
import { STORE_BUDGET_MS, timeLeftMs } from '../../trpc/deadline';

/**
 * Returns Redis's clock in epoch ms, which decides when sales begin and end. Returns this node's clock while Redis is
 * down, so that pages still render.
 */
export type ReadStoreTime = (deadline?: number) => Promise<number>;

/** Creates `readStoreTime`. */
export function createReadStoreTime({ redis }: { redis: RedisClient }): ReadStoreTime {
  return async function readStoreTime(deadline = performance.now() + STORE_BUDGET_MS) {
    if (redis.status !== 'ready') return Date.now();
    try {
      const [seconds, microseconds] = await withinStoreTimeout(redis.time(), timeLeftMs(deadline));
      return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return Date.now();
      throw error;
    }
  };
}
