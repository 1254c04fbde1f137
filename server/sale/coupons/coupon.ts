/** A coupon as shoppers see it. Money in cents, instants in epoch ms. */
export interface Coupon {
  id: string;
  merchantId: string;
  kind: 'seckill' | 'claim';
  title: string;
  faceValueCents: number;
  priceCents: number;
  /** Null for a claim, which has no stock. */
  stock: { total: number; remaining: number } | null;
  startsAt: number;
  endsAt: number;
  state: CouponState;
}

/** `paused`: the sale is on, but its gate is unavailable, is being rebuilt, or waits for the ledger. */
export type CouponState = 'upcoming' | 'live' | 'sold-out' | 'ended' | 'paused';
