import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC } from '../_trpc/client';
import type { Coupon } from '../_trpc/types';
import { type Arrangement, arrange } from './arrange';

interface CouponList {
  coupons: Coupon[];
  serverNow: number;
}

/** New rounds and tuned coupons appear within this time; the clock and the live stock do the rest. */
const everyMs = 15_000;
/** A gate that is being rebuilt is back in moments. */
const everyMsWhilePaused = 2_000;

/** The coupons in their places, first as the server rendered them, then as they change. */
export function useCoupons(rendered: CouponList): { arrangement: Arrangement; serverNow: number } {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.coupon.list.queryOptions(undefined, {
      initialData: rendered,
      refetchInterval: ({ state }) =>
        state.data?.coupons.some((coupon) => coupon.state === 'paused') ? everyMsWhilePaused : everyMs,
    }),
  );
  const [arranged, setArranged] = useState(() => ({
    data,
    arrangement: arrange(data.coupons, data.serverNow),
  }));

  if (arranged.data === data) return { arrangement: arranged.arrangement, serverNow: data.serverNow };
  const arrangement = arrange(data.coupons, data.serverNow, arranged.arrangement);
  setArranged({ data, arrangement });
  return { arrangement, serverNow: data.serverNow };
}
