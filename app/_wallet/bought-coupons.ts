import type { Caller } from '../_trpc/server';
import type { Coupon, Order } from '../_trpc/types';

interface BoughtCoupons {
  /** By the coupon's id. */
  bought: Map<string, Coupon>;
  serverNow: number;
}

/** The coupons that were bought: most from the list of the sale, of what has left it one by one. */
export async function boughtCoupons(caller: Caller, orders: Order[]): Promise<BoughtCoupons> {
  const { coupons, serverNow } = await caller.coupon.list();
  const bought = new Map(coupons.map((coupon) => [coupon.id, coupon]));
  const others = [...new Set(orders.map(({ couponId }) => couponId))].filter((id) => !bought.has(id));
  for (const { coupon } of await Promise.all(others.map((id) => caller.coupon.byId({ id })))) {
    bought.set(coupon.id, coupon);
  }
  return { bought, serverNow };
}
