import { awaitReply } from '../experiments/experiment';
import { settleAll } from '../experiments/map-in-chunks';
import type { RedisClient } from '../redis/client';

/** A call to a sliding log without a script. */
export interface LogCall {
  client: RedisClient;
  key: string;
  /** Epoch ms. */
  now: number;
  windowMs: number;
  /** Member of the hit. A member that already exists only moves. */
  member: string;
}

/**
 * Sends the first two of four separate commands: commands of other calls can run between any two of them. Returns the
 * number of hits in the window.
 */
export async function countHits({ client, key, now, windowMs }: LogCall, send: Send): Promise<number> {
  await send(client.zremrangebyscore(key, '-inf', now - windowMs));
  return send(client.zcard(key));
}

/** Sends the other two commands, which add a hit. */
export async function addHit({ client, key, now, member }: LogCall, send: Send): Promise<void> {
  await writeWithExpiry(send(client.zadd(key, now, member)), { client, key });
  await send(client.pexpire(key, NAIVE_TTL_MS));
}

/**
 * Adds a hit to a sliding log in one transaction, then counts. Returns the number of hits including this one, and the time
 * of the hit that has to expire before another one fits.
 */
export async function addFirst(
  { client, key, now, windowMs, limit, member }: LogCall & { limit: number },
  send: Send,
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

/** Lifetime of naive keys if they are not deleted. Longer than any experiment. */
export const NAIVE_TTL_MS = 60_000;

/**
 * Sends an expiry right after a write, in addition to the later expiry of the naive version. If the connection broke
 * between the two, the key would never expire.
 */
export async function writeWithExpiry<Reply>(
  write: Promise<Reply>,
  { client, key }: { client: RedisClient; key: string },
): Promise<Reply> {
  await settleAll<unknown>([write, awaitReply(client.pexpire(key, NAIVE_TTL_MS))]);
  return write;
}

/** Waits for the reply to a command. */
export type Send = <Reply>(reply: Promise<Reply>) => Promise<Reply>;

/** Waits for the replies of one call's commands, and counts these round trips. */
export type CountedSend = Send & { roundTrips(): number };

/** Counts one round trip per reply, also if it fails. A reply after 5 s rejects with `StoreUnavailableError`. */
export function createCountedSend(): CountedSend {
  let roundTrips = 0;
  const send = <Answer>(reply: Promise<Answer>): Promise<Answer> => {
    roundTrips += 1;
    return awaitReply(reply);
  };
  return Object.assign(send, { roundTrips: () => roundTrips });
}
