import type { RedisClient } from '../../redis/client';
import type { CountedSend } from '../counted-send';
import { NAIVE_TTL_MS, writeWithExpiry } from './naive-ttl';

/** A call to a sliding log of four separate commands. Commands of other calls can run between any two of them. */
export interface NaiveCall {
  client: RedisClient;
  key: string;
  /** Epoch ms. */
  now: number;
  windowMs: number;
  /** Unique member of the hit. */
  member: string;
}

/** Sends the first two commands. Returns the number of hits in the window. */
export async function countHits(
  { client, key, now, windowMs }: NaiveCall,
  send: CountedSend,
): Promise<number> {
  await send(client.zremrangebyscore(key, '-inf', now - windowMs));
  return send(client.zcard(key));
}

/** Sends the other two commands, which add a hit. */
export async function addHit({ client, key, now, member }: NaiveCall, send: CountedSend): Promise<void> {
  await writeWithExpiry(send(client.zadd(key, now, member)), { client, key });
  await send(client.pexpire(key, NAIVE_TTL_MS));
}
