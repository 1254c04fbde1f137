import type { RedisClient } from '../../redis/client';
import type { Asking } from '../asking';
import { expiring, NAIVE_LIVES_MS } from './naive-lives';

/** A sliding log in four commands, each answered before the next is sent: between any two others have their turn. */
export interface FourCommands {
  client: RedisClient;
  key: string;
  /** Epoch ms. */
  now: number;
  windowMs: number;
  /** The hit's, like no other. */
  member: string;
}

/** The first two: how many hits are in the window. */
export async function countHits({ client, key, now, windowMs }: FourCommands, ask: Asking): Promise<number> {
  await ask(client.zremrangebyscore(key, '-inf', now - windowMs));
  return ask(client.zcard(key));
}

/** The other two: one hit more. */
export async function addHit({ client, key, now, member }: FourCommands, ask: Asking): Promise<void> {
  await expiring(ask(client.zadd(key, now, member)), { client, key });
  await ask(client.pexpire(key, NAIVE_LIVES_MS));
}
