import type { RedisClient } from './client';

/** Redis's clock in epoch ms: the one that decides. This node's own where Redis is away, so that pages still show. */
export async function storeNow(redis: RedisClient): Promise<number> {
  if (redis.status !== 'ready') return Date.now();
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}
