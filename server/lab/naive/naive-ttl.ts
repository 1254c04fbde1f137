import type { RedisClient } from '../../redis/client';
import { awaitReply } from '../../sandbox/experiment';
import { settleAll } from '../../sandbox/map-in-chunks';

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
