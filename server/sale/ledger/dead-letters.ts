import { withinStoreTimeout } from '../../limiter/index';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';

/** An outbox entry that could not be written. Its stock is on sale again, and its shopper may buy again. */
export interface DeadLetter {
  couponId: string;
  /** The id in the dead-letter stream. */
  id: string;
  /** Time at which it became a dead letter, in epoch ms. */
  deadAt: number;
  /** An SQLSTATE with the constraint that refused it, or `is no order`. */
  why: string;
  /** The id in the outbox, as in the log. */
  entryId: string;
  orderId?: string | undefined;
}

/** Dead letters per coupon, and of all coupons: about 40 kB. */
const MAX_SHOWN = 50;
const MAX_LISTED = 200;
/** Coupons per pipeline: a week of short rounds has thousands. */
const CHUNK = 500;
/** Timeout of one chunk. */
const READ_TIMEOUT_MS = 1_000;

/** Lists the newest 200 dead letters of these coupons, newest first. Throws `StoreUnavailableError`. */
export async function listDeadLetters(
  redis: RedisClient,
  couponIds: readonly string[],
): Promise<DeadLetter[]> {
  const readNewest = async (couponId: string) => {
    const entries = await redis.xrevrange(saleKeys(couponId).dead, '+', '-', 'COUNT', MAX_SHOWN);
    return entries.map(([id, flat]) => toDeadLetter(couponId, id, flat));
  };
  const letters: DeadLetter[] = [];
  for (let from = 0; from < couponIds.length; from += CHUNK) {
    const reads = couponIds.slice(from, from + CHUNK).map(readNewest);
    letters.push(...(await withinStoreTimeout(Promise.all(reads), READ_TIMEOUT_MS)).flat());
  }
  return letters.sort((one, other) => other.deadAt - one.deadAt).slice(0, MAX_LISTED);
}

function toDeadLetter(couponId: string, id: string, flat: string[]): DeadLetter {
  // The entry itself may contain fields of the same names. Those of dead-letter.lua come first.
  const field = (name: string) => flat.find((_text, index) => index % 2 === 1 && flat[index - 1] === name);
  return {
    couponId,
    id,
    deadAt: Number(id.split('-')[0]),
    why: field('why') ?? '',
    entryId: field('entry') ?? '',
    orderId: field('order'),
  };
}
