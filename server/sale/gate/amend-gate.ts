import { withinStoreTimeout } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { Coupon } from '../coupons/coupon';

/** What an operator has made of a coupon, as its gate needs to know it. */
export interface Amendment {
  id: string;
  /** Counts the changes of this coupon. */
  revision: number;
  kind: Coupon['kind'];
  startsAt: Date;
  endsAt: Date;
  /** Sold or not; null for a claim. */
  stock: number | null;
}

/** `outdated`: the gate was opened by a version that counted no changes, and must be rebuilt. */
export type Amended = 'amended' | 'as it was' | 'outdated';

const REPLIES = new Map<unknown, Amended>([
  [1, 'amended'],
  [0, 'as it was'],
  [-1, 'outdated'],
]);
const WAIT_MS = 1_000;

/** Takes a change into a gate, however often it is called for it. Throws `StoreUnavailableError`. */
export function createAmendGate({ redis }: { redis: RedisClient }): (change: Amendment) => Promise<Amended> {
  const run = defineScript(redis, {
    command: 'saleAmendGate',
    file: 'sale/amend-gate.lua',
    numberOfKeys: 3,
  });
  return async function amendGate({ id, revision, kind, startsAt, endsAt, stock }) {
    const { gate, buyers, outbox } = saleKeys(id);
    const amending = run(
      [gate, buyers, outbox],
      [revision, kind, startsAt.getTime(), endsAt.getTime(), stock ?? ''],
    );
    const reply = await withinStoreTimeout(amending, WAIT_MS);
    const amended = REPLIES.get(reply);
    if (!amended) throw new TypeError(`amend-gate.lua replied ${JSON.stringify(reply)}`);
    return amended;
  };
}
