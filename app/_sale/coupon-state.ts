import type { Coupon } from '../_trpc/types';

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
