import { useCallback, useState } from 'react';
import type { Clock } from '../_live/clock';
import { useIsStateUnknown, useLiveStock, useServerClock } from '../_live/live-provider';
import { useNow } from '../_live/use-now';
import { nextChangeAt, stateAt } from '../_sale/coupon-state';
import { roundKey } from '../_sale/use-coupons';
import type { Coupon } from '../_trpc/types';

interface Target {
  /** The coupon that crowds and taps aim at. */
  coupon: Coupon;
  state: Coupon['state'];
  /** Live; `null` for unlimited stock. */
  stock: Coupon['stock'];
  clock: Clock;
  /** The coupons to choose from, and the key of the target. */
  options: Coupon[];
  key: string;
  choose(key: string): void;
}

/**
 * Returns the chosen coupon, by default the first: the featured one, whose stock and meters the visitor sees. The next
 * round of a coupon stays chosen.
 */
export function useTarget([featured, ...others]: [Coupon, ...Coupon[]], serverNow: number): Target {
  const [chosen, setChosen] = useState<string>();
  const open = others.filter(({ state }) => state === 'live' || state === 'paused');
  const options = [featured, ...open];
  const coupon = options.find((option) => roundKey(option) === chosen) ?? featured;

  const clock = useServerClock(serverNow);
  const remaining = useLiveStock(coupon);
  const nextAt = useCallback((present: number) => nextChangeAt(coupon, present), [coupon]);
  const now = useNow({ clock, initial: serverNow, nextAt });
  return {
    coupon,
    state: stateAt(coupon, {
      now,
      hasStock: remaining === undefined ? undefined : remaining > 0,
      isUnknown: useIsStateUnknown(),
    }),
    stock: coupon.stock && { ...coupon.stock, remaining: remaining ?? coupon.stock.remaining },
    clock,
    options,
    key: roundKey(coupon),
    choose: setChosen,
  };
}
