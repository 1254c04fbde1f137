import type { Coupon } from '../../_trpc/types';
import type { OpsCoupon } from '../types';

/** Returns the state of a sale as the ledger knows it. Only the gate knows `paused`. */
export function couponState(
  { startsAt, endsAt, stock }: Pick<OpsCoupon, 'startsAt' | 'endsAt' | 'stock'>,
  now: number,
): Exclude<Coupon['state'], 'paused'> {
  if (now >= endsAt) return 'ended';
  if (now < startsAt) return 'upcoming';
  return stock && stock.sold >= stock.total ? 'sold-out' : 'live';
}
