import type { Caller } from '../_trpc/server';
import type { Coupon, Order } from '../_trpc/types';

interface BoughtCoupons {
  /** Coupons by id. */
  bought: Map<string, Coupon>;
  serverNow: number;
}

/** Reads the coupons of a page of orders with one call, because each call counts against the visitor's limit. */
export async function readBoughtCoupons(caller: Caller, orders: Order[]): Promise<BoughtCoupons> {
  const ids = [...new Set(orders.map(({ couponId }) => couponId))];
  const { coupons, serverNow } = await caller.coupon.list({ ids });
  return { bought: new Map(coupons.map((coupon) => [coupon.id, coupon])), serverNow };
}
