import { useFormats } from '../../_i18n/use-formats';

/** Returns a rate as `useFormatRate` shows it, in tenths, so that equal texts have equal numbers. */
export function toShownTenths(perSecond: number): number {
  return perSecond < 10 ? Math.round(perSecond * 10) : Math.round(perSecond) * 10;
}

/** Returns a formatter of calls per second: one decimal below 10. */
export function useFormatRate(): (perSecond: number) => string {
  const { number } = useFormats();
  return (perSecond) => number(perSecond, { maximumFractionDigits: perSecond < 10 ? 1 : 0 });
}
