import { StoreUnavailableError, withinStoreTimeout } from '../../limiter';
import type { RedisClient } from '../../redis/client';
import { timeLeftMs } from '../../trpc/deadline';

/** Redis's clock in epoch ms: the one that decides. This node's own where Redis is away, so that pages still show. */
export async function readStoreTime(redis: RedisClient, deadline: number): Promise<number> {
  if (redis.status !== 'ready') return Date.now();
  try {
    const [seconds, microseconds] = await withinStoreTimeout(redis.time(), timeLeftMs(deadline));
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return Date.now();
    throw error;
  }
}
