import { useFormatter } from 'next-intl';

/** Returns a formatter of calls per second: one decimal below 10. */
export function useFormatRate(): (perSecond: number) => string {
  const { number } = useFormatter();
  return (perSecond) => number(perSecond, { maximumFractionDigits: perSecond < 10 ? 1 : 0 });
}
