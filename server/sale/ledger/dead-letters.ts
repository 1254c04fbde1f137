import { withinStoreTimeout } from '../../limiter';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';

/** An outbox entry that could not be written. Its stock is on sale again, and its shopper may buy again. */
export interface DeadLetter {
  couponId: string;
  /** Of the dead-letter stream. */
  id: string;
  /** When it was put aside, in epoch ms. */
  deadAt: number;
  /** An SQLSTATE and the constraint, if one refused it; or that it is no order. */
  why: string;
  /** Of the outbox, as the log names it. */
  entryId: string;
  orderId?: string | undefined;
}

/** To one coupon: whoever wants more has a fault to mend first. */
const MOST_SHOWN = 50;
/** So many coupons are asked for at once: a week of short rounds has thousands. */
const CHUNK = 500;
/** For the answers of a chunk. */
const WAIT_MS = 1_000;

/** The newest dead letters of these coupons, newest first. Throws `StoreUnavailableError`. */
export async function listDeadLetters(
  redis: RedisClient,
  couponIds: readonly string[],
): Promise<DeadLetter[]> {
  const newestOf = async (couponId: string) => {
    const entries = await redis.xrevrange(saleKeys(couponId).dead, '+', '-', 'COUNT', MOST_SHOWN);
    return entries.map(([id, flat]) => toDeadLetter(couponId, id, flat));
  };
  const letters: DeadLetter[] = [];
  for (let from = 0; from < couponIds.length; from += CHUNK) {
    const reads = couponIds.slice(from, from + CHUNK).map(newestOf);
    letters.push(...(await withinStoreTimeout(Promise.all(reads), WAIT_MS)).flat());
  }
  return letters.sort((one, other) => other.deadAt - one.deadAt);
}

function toDeadLetter(couponId: string, id: string, flat: string[]): DeadLetter {
  // An entry may have a field of its own that is named as one of these two, which come first.
  const field = (name: string) => flat.find((_text, place) => place % 2 === 1 && flat[place - 1] === name);
  return {
    couponId,
    id,
    deadAt: Number(id.split('-')[0]),
    why: field('why') ?? '',
    entryId: field('entry') ?? '',
    orderId: field('order'),
  };
}
