import type { RedisClient } from '../../redis/client';
import { answer } from '../experiment';
import { allOf } from '../in-chunks';

/** How long what a mistaken version writes lives, should nobody delete it: far longer than an experiment. */
export const NAIVE_LIVES_MS = 60_000;

/**
 * The answer of a write that was sent in this very moment. The lab sends an expiry along with it, besides the one that
 * the mistaken version sends later: a connection that breaks between those two would leave the key for ever.
 */
export async function expiring<Answer>(
  write: Promise<Answer>,
  { client, key }: { client: RedisClient; key: string },
): Promise<Answer> {
  await allOf<unknown>([write, answer(client.pexpire(key, NAIVE_LIVES_MS))]);
  return write;
}
