import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

const redis = new Redis(process.env.REDIS_URL ?? '', { enableOfflineQueue: false, lazyConnect: true });
await redis.connect();
const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'export', points: 10, duration: 60 });

/** Returns true if a user may export as many rows, in tens, now. */
export async function mayExport(user: string, tens: number): Promise<boolean> {
  try {
    await limiter.consume(user, tens);
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}

export const empty = async (user: string) => void (await limiter.delete(user));
export const close = async () => redis.disconnect();
