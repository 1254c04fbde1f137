import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useCouponsVersion, useIsStateUnknown, useLostSince } from '../_live/live-provider';
import { useReloadOnChange } from '../_live/use-reload-on-change';
import { ownershipOf } from '../_orders/order-state';
import { useTRPC } from '../_trpc/client';
import type { Coupon, Order } from '../_trpc/types';
import { stateAt } from './coupon-state';

/** Without the live feed, changed coupons appear within this time. */
const REFETCH_MS = 15_000;
/** Shorter while a coupon is paused, because a gate rebuild takes seconds. */
const PAUSED_REFETCH_MS = 2_000;
/** The maximum of the ids of `coupon.list`, and of the coupons that the live feed sends first. */
const MAX_KEPT = 50;

/** A page of coupons at an instant of the server's clock. */
export interface CouponList {
  coupons: Coupon[];
  /** Absent on the last page. */
  nextCursor?: string;
  /** Changes with each change of the shop's coupons. */
  version: string;
  serverNow: number;
}

interface ShownCoupons extends Pick<CouponList, 'serverNow'> {
  groups: CouponGroups;
  /** The oldest page. */
  firstPage: CouponList;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
}

/** The groups, and the lists that they were made of. */
interface LastShown {
  pages: readonly CouponList[];
  rendered: CouponList;
  /** Coupons of former pages. */
  kept: CouponList | undefined;
  groups: CouponGroups;
}

/**
 * Returns the coupons by page section, first as rendered by the server, then updated, with the further pages that the
 * viewer has loaded. `orders` are the viewer's; only a new list changes the sections, so that a purchase moves no card. A
 * card stays when its coupon moves to a page that is not loaded: then the coupon is read by its id.
 */
export function useCoupons(rendered: CouponList, orders: readonly Order[]): ShownCoupons {
  const trpc = useTRPC();
  // An emptied Redis pauses the coupons, which the list shows.
  const isUnknown = useIsStateUnknown();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    trpc.coupon.list.infiniteQueryOptions(
      {},
      {
        getNextPageParam: ({ nextCursor }) => nextCursor,
        initialData: { pages: [rendered], pageParams: [null] },
        // Each loaded page is a call.
        refetchInterval: ({ state: { data } }) =>
          getRefetchMs(data?.pages, isUnknown) * (data?.pages.length ?? 1),
      },
    ),
  );
  const { pages } = data;
  const [last, setLast] = useState<LastShown>(() => {
    return { pages, rendered, kept: undefined, groups: groupCoupons(joinPages(pages), orders) };
  });
  const listed = new Set(pages.flatMap(({ coupons }) => coupons.map(({ id }) => id)));
  const keptIds = shownIds(last.groups)
    .filter((id) => !listed.has(id))
    .slice(0, MAX_KEPT);
  const { data: kept } = useQuery(
    trpc.coupon.list.queryOptions(
      { ids: keptIds },
      {
        enabled: keptIds.length > 0,
        refetchInterval: ({ state: { data } }) => getRefetchMs(data && [data], isUnknown),
      },
    ),
  );

  let { groups } = last;
  if (last.pages !== pages || last.rendered !== rendered || last.kept !== kept) {
    const others = [...(kept?.coupons ?? []), ...rendered.coupons, ...groups.flash, ...groups.claims];
    groups = groupCoupons(joinPages(pages, others), orders, groups);
    setLast({ pages, rendered, kept, groups });
  }
  return {
    groups,
    firstPage: pages[0] ?? rendered,
    serverNow: pages.at(-1)?.serverNow ?? rendered.serverNow,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
  };
}

function getRefetchMs(read: readonly CouponList[] = [], isUnknown: boolean): number {
  const isPaused = read.some(({ coupons }) => coupons.some(({ state }) => state === 'paused'));
  return isUnknown || isPaused ? PAUSED_REFETCH_MS : REFETCH_MS;
}

/** Joins pages to one list, with those of `others` that are on no page. */
function joinPages(pages: readonly CouponList[], others: readonly Coupon[] = []) {
  const byId = new Map<string, Coupon>();
  for (const coupon of [...pages.flatMap(({ coupons }) => coupons), ...others]) {
    if (!byId.has(coupon.id)) byId.set(coupon.id, coupon);
  }
  return { coupons: [...byId.values()], serverNow: pages.at(-1)?.serverNow ?? 0 };
}

function shownIds({ flash, claims }: CouponGroups): string[] {
  return [...flash, ...claims].map(({ id }) => id);
}

interface RefetchProps {
  /** The oldest page. */
  page: CouponList;
  groups: CouponGroups;
}

/**
 * Refetches the list when a coupon of the shop is added, changed or ended, and after a lost event. A component, so that the
 * feed's first event renders nothing else of the page.
 */
export function RefetchOnOtherCoupons({ page, groups: { flash, ended } }: RefetchProps): null {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const reload = () => void queryClient.invalidateQueries(trpc.coupon.list.pathFilter());
  const ids = useMemo(
    () => [...flash, ...ended].flatMap(({ id, stock }) => (stock ? [id] : [])).slice(0, MAX_KEPT),
    [flash, ended],
  );
  useReloadOnChange({ value: useCouponsVersion(), initial: page.version, reload });
  useReloadOnChange({ value: useLostSince(ids, page), initial: 0, reload });
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
  { coupons, serverNow: now }: Pick<CouponList, 'coupons' | 'serverNow'>,
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
