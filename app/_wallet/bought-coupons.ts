import type { Caller } from '../_trpc/server';
import type { Coupon, Order } from '../_trpc/types';

interface BoughtCoupons {
  /** By the coupon's id. */
  bought: Map<string, Coupon>;
  serverNow: number;
}

/** The coupons of a page of orders, in one call: each call counts against the visitor's limit. */
export async function boughtCoupons(caller: Caller, orders: Order[]): Promise<BoughtCoupons> {
  const ids = [...new Set(orders.map(({ couponId }) => couponId))];
  const { coupons, serverNow } = await caller.coupon.list({ ids });
  return { bought: new Map(coupons.map((coupon) => [coupon.id, coupon])), serverNow };
}
