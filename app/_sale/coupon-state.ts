import type { Coupon } from '../_trpc/types';

/**
 * A coupon's state at an instant between two answers of the server: it opens and ends by the clock, and sells out by the
 * live stock. The server has the last word on every click; this only saves asking it each second.
 */
export function stateAt(
  coupon: Coupon,
  { now, remaining }: { now: number; remaining?: number | undefined },
): Coupon['state'] {
  if (now >= coupon.endsAt) return 'ended';
  if (now < coupon.startsAt) return 'upcoming';
  if (coupon.state === 'paused') return 'paused';
  if ((remaining ?? coupon.stock?.remaining) === 0) return 'sold-out';
  return 'live';
}

/** When the clock alone changes the state next. */
export function nextStateAt({ startsAt, endsAt }: Coupon, now: number): number | undefined {
  return [startsAt, endsAt].find((instant) => instant > now);
}
