import { withinStoreTimeout } from '../../limiter/index';
import { defineScript } from '../../limiter/stores';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { Amendment, CouponQueries } from './coupon-queries';
import type { Gate } from './gate';

/** `outdated`: a version without revisions opened the gate, so it must be rebuilt. */
export type Amended = 'amended' | 'unchanged' | 'outdated';

const REPLIES = new Map<unknown, Amended>([
  [1, 'amended'],
  [0, 'unchanged'],
  [-1, 'outdated'],
]);
const AMEND_TIMEOUT_MS = 1_000;

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
    const reply = await withinStoreTimeout(amending, AMEND_TIMEOUT_MS);
    const amended = REPLIES.get(reply);
    if (!amended) throw new TypeError(`amend-gate.lua replied ${JSON.stringify(reply)}`);
    return amended;
  };
}

/**
 * Creates the job that warms up the gates of sales that are about to begin. Run it every second, on any number of nodes.
 *
 * It sends a purchase of the other kind. The script refuses it before it writes anything, and it opens the connection to the
 * cluster node that decides the first purchase.
 */
export function createWarmUpGates({
  listStartingCoupons,
  gate,
}: {
  listStartingCoupons: CouponQueries['listStartingCoupons'];
  gate: Pick<Gate, 'purchase'>;
}): () => Promise<void> {
  return async function warmUpGates() {
    const starting = await listStartingCoupons();
    await Promise.all(
      starting.map(({ id: couponId, kind }) =>
        gate.purchase({
          couponId,
          kind: kind === 'seckill' ? 'claim' : 'seckill',
          ...{ userId: '', orderId: '', code: '', isReplay: false },
          deadline: performance.now() + AMEND_TIMEOUT_MS,
        }),
      ),
    );
  };
}
