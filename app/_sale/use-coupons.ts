import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCouponsVersion, useIsStateUnknown } from '../_live/live-provider';
import { useReloadOnChange } from '../_live/use-reload-on-change';
import { ownershipOf } from '../_orders/order-state';
import { useTRPC } from '../_trpc/client';
import type { Coupon, Order } from '../_trpc/types';
import { stateAt } from './coupon-state';

/** Without the live feed, changed coupons appear within this time. */
const REFETCH_MS = 15_000;
/** Shorter while a coupon is paused, because a gate rebuild takes seconds. */
const PAUSED_REFETCH_MS = 2_000;

/** The coupons at an instant of the server's clock. */
export interface CouponList {
  coupons: Coupon[];
  /** Changes with each change of the shop's coupons. */
  version: string;
  serverNow: number;
}

/**
 * Returns the coupons by page section, first as rendered by the server, then updated. `orders` are the viewer's; only a new
 * list changes the sections, so that a purchase moves no card.
 */
export function useCoupons(
  rendered: CouponList,
  orders: readonly Order[],
): { groups: CouponGroups; list: CouponList } {
  const trpc = useTRPC();
  // An emptied Redis pauses the coupons, which the list shows.
  const isUnknown = useIsStateUnknown();
  const { data } = useQuery(
    trpc.coupon.list.queryOptions(undefined, {
      initialData: rendered,
      refetchInterval: ({ state }) =>
        isUnknown || state.data?.coupons.some((coupon) => coupon.state === 'paused')
          ? PAUSED_REFETCH_MS
          : REFETCH_MS,
    }),
  );
  const [last, setLast] = useState(() => ({ data, groups: groupCoupons(data, orders) }));

  if (last.data === data) return { groups: last.groups, list: data };
  const groups = groupCoupons(data, orders, last.groups);
  setLast({ data, groups });
  return { groups, list: data };
}

/**
 * Refetches the list when a coupon of the shop is added, changed or ended. A component, so that the feed's first event renders
 * nothing else of the page.
 */
export function RefetchOnOtherCoupons({ version }: Pick<CouponList, 'version'>): null {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  useReloadOnChange({
    value: useCouponsVersion(),
    initial: version,
    reload: () => void queryClient.invalidateQueries(trpc.coupon.list.queryFilter()),
  });
  return null;
}

/** The coupons by page section. */
export interface CouponGroups {
  /**
   * Seckills that are live, upcoming, held by the viewer, or over since the page opened. The first is featured: the one to
   * pay, else the live one with the largest saving, else the next to open, else the last that opened.
   */
  flash: Coupon[];
  claims: Coupon[];
  /** Sold out or ended. */
  ended: Coupon[];
}

/**
 * Groups coupons by page section. Flash coupons keep their position when they sell out or end, until the next round
 * of the same coupon replaces them.
 */
export function groupCoupons(
  { coupons, serverNow: now }: Omit<CouponList, 'version'>,
  orders: readonly Order[] = [],
  before?: CouponGroups,
): CouponGroups {
  const isHeld = ({ id }: Coupon) =>
    orders.some((order) => order.couponId === id && ownershipOf(order) === 'held');
  // Last first, so that a new coupon, which has the index -1, comes last.
  const keys = (before?.flash ?? []).map(roundKey).reverse();
  const index = (coupon: Coupon) => keys.indexOf(roundKey(coupon));
  // The instant from which a click succeeds. A coupon to pay precedes all others.
  const opening = (coupon: Coupon) => (isHeld(coupon) ? 0 : Math.max(coupon.startsAt, now));
  const oldestFirst = coupons
    .filter(({ kind }) => kind === 'seckill')
    .toSorted((a, b) => a.startsAt - b.startsAt);
  const newest = new Map(oldestFirst.map((coupon) => [roundKey(coupon), coupon]));

  const shown = [...newest.values()].filter(
    (coupon) => index(coupon) >= 0 || isHeld(coupon) || !isOver(coupon, now),
  );
  const inPlace = shown.toSorted(
    (a, b) => index(b) - index(a) || opening(a) - opening(b) || saving(b) - saving(a),
  );
  const flash = inPlace.length > 0 ? inPlace : oldestFirst.slice(-1);

  const claims = coupons.filter((coupon) => coupon.kind === 'claim' && !isOver(coupon, now));
  // The former rounds of a coupon that is shown would contradict it.
  const placed = new Set([...flash, ...claims].map(roundKey));
  const ended = coupons
    .filter((coupon) => !placed.has(roundKey(coupon)))
    .toSorted((a, b) => b.endsAt - a.endsAt);
  return { flash, claims, ended };
}

/** Returns the key that all rounds of a coupon share: merchant and title. */
export function roundKey({ merchantId, title }: Pick<Coupon, 'merchantId' | 'title'>): string {
  return JSON.stringify([merchantId, title]);
}

function isOver(coupon: Coupon, now: number): boolean {
  const state = stateAt(coupon, { now });
  return state === 'ended' || state === 'sold-out';
}

/** Returns what a shopper saves, in cents. */
function saving({ faceValueCents, priceCents }: Coupon): number {
  return faceValueCents - priceCents;
}
