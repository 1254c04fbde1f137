import type { Order } from '../orders/order';

/** A coupon as operators see it: everything that may be edited, in every language. Instants in epoch ms. */
export interface OpsCoupon {
  id: string;
  merchantId: string;
  merchantName: Text;
  kind: 'seckill' | 'claim';
  title: Text;
  faceValueCents: number;
  priceCents: number;
  /** Null for a claim. `sold` counts orders that are neither cancelled nor expired. */
  stock: { total: number; sold: number } | null;
  startsAt: number;
  endsAt: number;
  /** Raised by each change of an operator. */
  revision: number;
  createdAt: number;
}

export type Text = Readonly<Record<'en' | 'zh', string>>;

export interface OpsCouponPage {
  /** Newest first. */
  coupons: OpsCoupon[];
  serverNow: number;
  nextCursor?: string;
}

export interface OpsOrderPage {
  /** Newest first; what is only reserved is not among them. */
  orders: (Order & { couponTitle: Text; priceCents: number })[];
  nextCursor?: string;
}

/** For a form that makes a coupon. */
export interface OpsMerchant {
  id: string;
  name: Text;
}
