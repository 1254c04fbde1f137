import type { Coupon } from '../_trpc/types';
import { stateAt } from './coupon-state';

/** The coupons by the place on the page where they stand. */
export interface Arrangement {
  /** Seckills that are or come; the first is the one at the gate. */
  flash: Coupon[];
  claims: Coupon[];
  /** What is over. */
  over: Coupon[];
}

/**
 * Puts coupons where a visitor looks for them. Nothing jumps while one watches: whatever stood among the flash coupons
 * keeps its place there when it sells out or ends, until the next round of the same coupon takes that place.
 */
export function arrange(coupons: Coupon[], now: number, before?: Arrangement): Arrangement {
  const places = (before?.flash ?? []).map(placeOf);
  const oldestFirst = coupons
    .filter(({ kind }) => kind === 'seckill')
    .toSorted((a, b) => a.startsAt - b.startsAt);
  const newest = new Map(oldestFirst.map((coupon) => [placeOf(coupon), coupon]));

  const standing = [...newest.values()].filter(
    (coupon) => places.includes(placeOf(coupon)) || !isOver(coupon, now),
  );
  const byUrgency = standing.toSorted((a, b) => urgency(a, now) - urgency(b, now) || plenty(b) - plenty(a));
  const flash = byUrgency.toSorted((a, b) => rank(places, a) - rank(places, b));

  const claims = coupons.filter((coupon) => coupon.kind === 'claim' && !isOver(coupon, now));
  const placed = new Set([...flash, ...claims].map(({ id }) => id));
  const over = coupons.filter(({ id }) => !placed.has(id)).toSorted((a, b) => b.endsAt - a.endsAt);
  return { flash, claims, over };
}

/** Rounds of one coupon share a place: they have its merchant and its title. */
function placeOf({ merchantId, title }: Coupon): string {
  return JSON.stringify([merchantId, title]);
}

function isOver(coupon: Coupon, now: number): boolean {
  const state = stateAt(coupon, { now });
  return state === 'ended' || state === 'sold-out';
}

/** Live ones first, then those that wait. */
function urgency(coupon: Coupon, now: number): number {
  const state = stateAt(coupon, { now });
  return state === 'live' ? 0 : coupon.startsAt;
}

/** The most plentiful comes first: it is still there when a visitor has read what this page is about. */
function plenty({ stock }: Coupon): number {
  return stock?.total ?? 0;
}

function rank(places: string[], coupon: Coupon): number {
  const place = places.indexOf(placeOf(coupon));
  return place === -1 ? places.length : place;
}
