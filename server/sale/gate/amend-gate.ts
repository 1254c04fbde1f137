import { withinStoreTimeout } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { Coupon } from '../coupons/coupon';

/** An operator's change of a coupon, in the form that its gate needs. */
export interface Amendment {
  id: string;
  /** Number of changes of this coupon so far. */
  revision: number;
  kind: Coupon['kind'];
  startsAt: Date;
  endsAt: Date;
  /** The whole stock, sold or not; null for a claim. */
  stock: number | null;
}

/** `outdated`: a version without revisions opened the gate, so it must be rebuilt. */
export type Amended = 'amended' | 'unchanged' | 'outdated';

const REPLIES = new Map<unknown, Amended>([
  [1, 'amended'],
  [0, 'unchanged'],
  [-1, 'outdated'],
]);
const WAIT_MS = 1_000;

/** Creates `amendGate`, which applies a change to a gate at most once. It throws `StoreUnavailableError`. */
export function createAmendGate({
  redis,
}: {
  redis: RedisClient;
}): (amendment: Amendment) => Promise<Amended> {
  const runAmend = defineScript(redis, {
    command: 'saleAmendGate',
    file: 'sale/amend-gate.lua',
    numberOfKeys: 3,
  });
  return async function amendGate({ id, revision, kind, startsAt, endsAt, stock }) {
    const { gate, buyers, outbox } = saleKeys(id);
    const amending = runAmend(
      [gate, buyers, outbox],
      [revision, kind, startsAt.getTime(), endsAt.getTime(), stock ?? ''],
    );
    const reply = await withinStoreTimeout(amending, WAIT_MS);
    const amended = REPLIES.get(reply);
    if (!amended) throw new TypeError(`amend-gate.lua replied ${JSON.stringify(reply)}`);
    return amended;
  };
}
