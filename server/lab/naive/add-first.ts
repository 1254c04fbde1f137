import type { RedisClient } from '../../redis/client';
import type { Asking } from '../asking';
import { NAIVE_LIVES_MS } from './naive-lives';

/** A sliding log in one transaction that adds the hit first, and then sees whether there were too many. */
export interface AddFirst {
  client: RedisClient;
  key: string;
  /** Epoch ms. */
  now: number;
  windowMs: number;
  limit: number;
  /** The hit's; one that the log has already only moves. */
  member: string;
}

/** How many hits there are with this one, and the instant of the one that has to leave before one more fits. */
export async function addFirst(
  { client, key, now, windowMs, limit, member }: AddFirst,
  ask: Asking,
): Promise<{ count: number; mustLeave: number | undefined }> {
  const replies = await ask(
    client
      .multi()
      .zremrangebyscore(key, '-inf', now - windowMs)
      .zadd(key, now, member)
      .zcard(key)
      .zrange(key, -limit, String(-limit), 'WITHSCORES')
      .pexpire(key, NAIVE_LIVES_MS)
      .exec(),
  );
  const [, , count, mustLeave] = (replies ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
  const score = Array.isArray(mustLeave) ? mustLeave[1] : undefined;
  return { count: Number(count), mustLeave: score === undefined ? undefined : Number(score) };
}
