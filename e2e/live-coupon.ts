import type { APIRequestContext } from '@playwright/test';

/** Returns the id of a coupon of this kind that is on sale, or undefined. */
export async function findLiveCoupon(
  request: APIRequestContext,
  wanted: 'seckill' | 'claim',
): Promise<string | undefined> {
  const { result } = await (await request.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; kind: string; state: string }[] = result.data.coupons;
  return coupons.find(({ kind, state }) => kind === wanted && state === 'live')?.id;
}
