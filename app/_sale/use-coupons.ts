import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLiveCouponIds } from '../_live/live-provider';
import { useTRPC } from '../_trpc/client';
import type { Coupon } from '../_trpc/types';
import { arrangeCoupons, type CouponGroups } from './arrange-coupons';

interface CouponList {
  coupons: Coupon[];
  serverNow: number;
}

/** Changed coupons appear within this time. The clock and the live feed update the rest. */
const REFETCH_MS = 15_000;
/** A gate rebuild takes seconds. */
const PAUSED_REFETCH_MS = 2_000;
/** All visitors get the event of a new round at once, so each refetches after a random delay up to this. */
const MAX_REFETCH_DELAY_MS = 2_000;

/** Returns the coupons by page section, first as rendered by the server, then updated. */
export function useCoupons(rendered: CouponList): { arrangement: CouponGroups; serverNow: number } {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.coupon.list.queryOptions(undefined, {
      initialData: rendered,
      refetchInterval: ({ state }) =>
        state.data?.coupons.some((coupon) => coupon.state === 'paused') ? PAUSED_REFETCH_MS : REFETCH_MS,
    }),
  );
  useRefetchOnNewRound(data.coupons);
  const [arranged, setArranged] = useState(() => ({
    data,
    arrangement: arrangeCoupons(data.coupons, data.serverNow),
  }));

  if (arranged.data === data) return { arrangement: arranged.arrangement, serverNow: data.serverNow };
  const arrangement = arrangeCoupons(data.coupons, data.serverNow, arranged.arrangement);
  setArranged({ data, arrangement });
  return { arrangement, serverNow: data.serverNow };
}

/** Refetches the list when the feed has a coupon that the list lacks: a new round. */
function useRefetchOnNewRound(coupons: Coupon[]): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const liveIds = useLiveCouponIds();
  const isUnknown = liveIds.split(' ').some((id) => id !== '' && coupons.every((coupon) => coupon.id !== id));

  // Runs once per change of the feed's coupons, so that a coupon which never appears in the list is not requested
  // again and again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (!isUnknown) return;
    const timer = setTimeout(
      () => void queryClient.invalidateQueries(trpc.coupon.list.queryFilter()),
      Math.random() * MAX_REFETCH_DELAY_MS,
    );
    return () => clearTimeout(timer);
  }, [liveIds]);
}
