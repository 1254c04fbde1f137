import { formatCount } from '../../_i18n/numbers';

/** Returns a rate as `formatRate` shows it, in tenths, so that equal texts have equal numbers. */
export function toShownTenths(perSecond: number): number {
  return perSecond < 10 ? Math.round(perSecond * 10) : Math.round(perSecond) * 10;
}

/** Formats calls per second: one decimal below 10. */
export function formatRate(perSecond: number): string {
  return perSecond < 10 ? String(toShownTenths(perSecond) / 10) : formatCount(Math.round(perSecond));
}
