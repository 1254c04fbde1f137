import { useCallback } from 'react';
import type { Clock } from '../_live/clock';
import { useIsStateUnknown, useServerClock } from '../_live/live-provider';
import { useNow } from '../_live/use-now';
import type { Coupon } from '../_trpc/types';

interface Options {
  /** The server's clock when the coupons were read. */
  serverNow: number;
  /** The live stock is above 0. Default: as listed. */
  hasStock: boolean | undefined;
}

/** Returns the present state of a coupon, and the server's clock, which decides it. */
export function useCouponState(
  coupon: Coupon,
  { serverNow, hasStock }: Options,
): { state: Coupon['state']; clock: Clock } {
  const clock = useServerClock(serverNow);
  const nextAt = useCallback((present: number) => nextChangeAt(coupon, present), [coupon]);
  const now = useNow({ clock, initial: serverNow, nextAt });
  return { state: stateAt(coupon, { now, hasStock, isUnknown: useIsStateUnknown() }), clock };
}

/**
 * Returns a coupon's state between two server responses: the clock starts and ends it, and the live stock sells it
 * out. A sold-out coupon stays sold out after its end. While the server's state is unknown, an open sale is paused: no
 * call can be decided. The server decides every click; this only avoids polling each second.
 */
export function stateAt(
  coupon: Coupon,
  {
    now,
    hasStock = coupon.stock?.remaining !== 0,
    isUnknown = false,
  }: { now: number; hasStock?: boolean | undefined; isUnknown?: boolean },
): Coupon['state'] {
  if (now < coupon.startsAt) return 'upcoming';
  if (!hasStock) return 'sold-out';
  if (now >= coupon.endsAt) return 'ended';
  return isUnknown || coupon.state === 'paused' ? 'paused' : 'live';
}

/** Returns the next instant at which the clock changes the state; `undefined` after the end. */
export function nextChangeAt({ startsAt, endsAt }: Coupon, now: number): number | undefined {
  return [startsAt, endsAt].find((instant) => instant > now);
}
