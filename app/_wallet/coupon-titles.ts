import type { Caller } from '../_trpc/server';
import type { Order } from '../_trpc/types';

interface CouponTitles {
  /** By the coupon's id. */
  titles: Map<string, string>;
  serverNow: number;
}

/** The titles of what was bought: of most from the list of the sale, of what has left it one by one. */
export async function couponTitles(caller: Caller, orders: Order[]): Promise<CouponTitles> {
  const { coupons, serverNow } = await caller.coupon.list();
  const titles = new Map(coupons.map(({ id, title }) => [id, title]));
  const others = [...new Set(orders.map(({ couponId }) => couponId))].filter((id) => !titles.has(id));
  for (const { coupon } of await Promise.all(others.map((id) => caller.coupon.byId({ id })))) {
    titles.set(coupon.id, coupon.title);
  }
  return { titles, serverNow };
}
