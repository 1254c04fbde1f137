import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLiveCouponIds } from '../_live/live-provider';
import { useTRPC } from '../_trpc/client';
import type { Coupon } from '../_trpc/types';
import { type Arrangement, arrange } from './arrange';

interface CouponList {
  coupons: Coupon[];
  serverNow: number;
}

/** Tuned coupons appear within this time; the clock and the live feed do the rest. */
const everyMs = 15_000;
/** A gate that is being rebuilt is back in moments. */
const everyMsWhilePaused = 2_000;
/** A new round is told to all visitors in one instant; they ask for it apart by chance, over this time. */
const spreadMs = 2_000;

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
  useRefetchOnNewRound(data.coupons);
  const [arranged, setArranged] = useState(() => ({
    data,
    arrangement: arrange(data.coupons, data.serverNow),
  }));

  if (arranged.data === data) return { arrangement: arranged.arrangement, serverNow: data.serverNow };
  const arrangement = arrange(data.coupons, data.serverNow, arranged.arrangement);
  setArranged({ data, arrangement });
  return { arrangement, serverNow: data.serverNow };
}

/** The feed tells the stock of a coupon that the list does not have: a new round has opened. */
function useRefetchOnNewRound(coupons: Coupon[]): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const liveIds = useLiveCouponIds();
  const isUnknown = liveIds.split(' ').some((id) => id !== '' && coupons.every((coupon) => coupon.id !== id));

  // Once for each change of the feed's coupons: one that the list will never have must not be asked for again and again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (!isUnknown) return;
    const timer = setTimeout(
      () => void queryClient.invalidateQueries(trpc.coupon.list.queryFilter()),
      Math.random() * spreadMs,
    );
    return () => clearTimeout(timer);
  }, [liveIds]);
}
