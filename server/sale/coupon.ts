import { and, gt, isNull, lte, or, sql } from 'drizzle-orm';
import { isCurrentRound } from '../db/current-round';
import { coupons } from '../db/schema';

/** A coupon as shoppers see it. Money in cents, instants in epoch ms. */
export interface Coupon {
  id: string;
  merchantId: string;
  /** The merchant in the reader's language, for a card without a second call. */
  merchant: { name: string; category: string; address: string };
  kind: 'seckill' | 'claim';
  title: string;
  faceValueCents: number;
  priceCents: number;
  /** Null for a claim, which has no stock. */
  stock: { total: number; remaining: number } | null;
  startsAt: number;
  endsAt: number;
  state: CouponState;
  /** Demo: 30 s after its end, the next round opens as another coupon. Absent: an ended sale is never repeated. */
  hasNextRound?: true;
}

/** `paused`: the sale is on, but its gate is unavailable, is being rebuilt, or waits for the ledger. */
export type CouponState = 'upcoming' | 'live' | 'sold-out' | 'ended' | 'paused';

/**
 * Selects the coupons that the shop shows: those that have not ended, or ended less than a day ago. A sold-out round with a
 * next round stays for two more minutes, so that the rounds of a demo do not fill the page.
 */
export const isShown = and(
  gt(coupons.endsAt, sql`now() - interval '1 day'`),
  or(isCurrentRound, and(lte(coupons.endsAt, sql`now()`), isNull(coupons.soldOutAt))),
);
