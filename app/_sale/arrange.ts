import type { Coupon } from '../_trpc/types';
import { stateAt } from './coupon-state';

/** The coupons by the place on the page where they stand. */
export interface Arrangement {
  /**
   * Seckills that are or come. The first stands at the gate: of the live ones the one with the least stock left, else
   * the one that opens next, else the one that was over last.
   */
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
  const byUrgency = standing.toSorted((a, b) => urgency(a, now) - urgency(b, now) || left(a) - left(b));
  const inPlace = byUrgency.toSorted((a, b) => rank(places, a) - rank(places, b));
  const flash = inPlace.length > 0 ? inPlace : oldestFirst.slice(-1);

  const claims = coupons.filter((coupon) => coupon.kind === 'claim' && !isOver(coupon, now));
  const placed = new Set([...flash, ...claims].map(({ id }) => id));
  const over = coupons.filter(({ id }) => !placed.has(id)).toSorted((a, b) => b.endsAt - a.endsAt);
  return { flash, claims, over };
}

/** Rounds of one coupon share a place: they have its merchant and its title. */
export function placeOf({ merchantId, title }: Pick<Coupon, 'merchantId' | 'title'>): string {
  return JSON.stringify([merchantId, title]);
}

function isOver(coupon: Coupon, now: number): boolean {
  const state = stateAt(coupon, { now });
  return state === 'ended' || state === 'sold-out';
}

/** Live ones first, and those whose gate is away for a moment; then those that wait. */
function urgency(coupon: Coupon, now: number): number {
  const state = stateAt(coupon, { now });
  return state === 'live' || state === 'paused' ? 0 : coupon.startsAt;
}

/** The scarcest comes first: there the gate has something to decide. */
function left({ stock }: Coupon): number {
  return stock?.remaining ?? Number.POSITIVE_INFINITY;
}

function rank(places: string[], coupon: Coupon): number {
  const place = places.indexOf(placeOf(coupon));
  return place === -1 ? places.length : place;
}
