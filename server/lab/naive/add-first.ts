import type { RedisClient } from '../../redis/client';
import type { CountedSend } from '../counted-send';
import { NAIVE_TTL_MS } from './naive-ttl';

export interface AddFirstOptions {
  client: RedisClient;
  key: string;
  /** Epoch ms. */
  now: number;
  windowMs: number;
  limit: number;
  /** Member of the hit. A member that already exists only moves. */
  member: string;
}

/**
 * Adds a hit to a sliding log in one transaction, then counts. Returns the number of hits including this one, and the time
 * of the hit that has to expire before another one fits.
 */
export async function addFirst(
  { client, key, now, windowMs, limit, member }: AddFirstOptions,
  send: CountedSend,
): Promise<{ count: number; blockingHitAt: number | undefined }> {
  const replies = await send(
    client
      .multi()
      .zremrangebyscore(key, '-inf', now - windowMs)
      .zadd(key, now, member)
      .zcard(key)
      .zrange(key, -limit, String(-limit), 'WITHSCORES')
      .pexpire(key, NAIVE_TTL_MS)
      .exec(),
  );
  const [, , count, blockingHitAt] = (replies ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
  const score = Array.isArray(blockingHitAt) ? blockingHitAt[1] : undefined;
  return { count: Number(count), blockingHitAt: score === undefined ? undefined : Number(score) };
}
