import { useFormats } from '../../_i18n/use-formats';

/** Returns a formatter of calls per second: one decimal below 10. */
export function useFormatRate(): (perSecond: number) => string {
  const { number } = useFormats();
  return (perSecond) => number(perSecond, { maximumFractionDigits: perSecond < 10 ? 1 : 0 });
}
