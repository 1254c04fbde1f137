import type { Coupon } from '../../_trpc/types';
import type { OpsCoupon } from '../types';

/** Where a sale stands, as far as the ledger knows: whether its gate is paused, the gate alone does. */
export function couponState(
  { startsAt, endsAt, stock }: Pick<OpsCoupon, 'startsAt' | 'endsAt' | 'stock'>,
  now: number,
): Exclude<Coupon['state'], 'paused'> {
  if (now >= endsAt) return 'ended';
  if (now < startsAt) return 'upcoming';
  return stock && stock.sold >= stock.total ? 'sold-out' : 'live';
}
