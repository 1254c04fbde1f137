import { AppError } from '../errors';
import { withinStoreTimeout } from '../limiter';
import type { RedisClient } from '../redis/client';
import { purchaseRequestKey } from '../redis/keys';
import { timeLeftMs } from '../trpc/deadline';
import type { Coupon } from './coupon';
import { REQUEST_TTL_MS } from './gate';

/** One try to buy, however often its call is repeated. */
export interface PurchaseRequest {
  kind: Coupon['kind'];
  userId: string;
  requestId: string;
  couponId: string;
  /** Until when to wait for Redis, by `performance.now()`. */
  deadline: number;
}

/**
 * Sees to it that a request id means one coupon for a day. Throws CONFLICT where it came with another, and
 * `StoreUnavailableError`.
 */
export type BindRequest = (request: PurchaseRequest) => Promise<void>;

/**
 * The gate remembers which order an id made, but each gate knows its own coupon only: on a cluster they live on
 * different nodes. A Redis that forgets its ids lets one through for a second coupon, where it buys what it says.
 */
export function createBindRequest({ redis }: { redis: RedisClient }): BindRequest {
  return async function bindRequest({ kind, userId, requestId, couponId, deadline }) {
    const key = purchaseRequestKey(kind, userId, requestId);
    // One key, so one connection: the second command is carried out after the first, and both take one round trip.
    const answers = Promise.all([redis.set(key, couponId, 'PX', REQUEST_TTL_MS, 'NX'), redis.get(key)]);
    const [, bound] = await withinStoreTimeout(answers, timeLeftMs(deadline));
    if (bound !== couponId)
      throw new AppError('CONFLICT', 'This requestId came with another coupon before. Make a new one.');
  };
}
