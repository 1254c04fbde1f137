import { useLocale, useTranslations } from 'next-intl';
import { useMemo } from 'react';

interface LabNumbers {
  /** An instant or a span on the lab's clock: `10.25 s`. */
  time(ms: number): string;
  /** The same on an axis, without zeros that say nothing: `10 s`, `2.5 s`. */
  tick(ms: number): string;
  /** A wait that a caller is told: `4,750 ms`. */
  ms(ms: number): string;
  bytes(count: number): string;
  count(count: number): string;
}

/** Says the numbers of the lab in the page's language. The same functions at every render. Needs `duration` and `lab`. */
export function useLabNumbers(): LabNumbers {
  const t = useTranslations('duration');
  const tLab = useTranslations('lab.units');
  const language = useLocale();

  return useMemo(() => {
    const whole = new Intl.NumberFormat(language);
    const hundredths = new Intl.NumberFormat(language, {
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    });
    const short = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
    return {
      tick: (ms) => t('precise', { count: short.format(ms / 1_000) }),
      time: (ms) => t('precise', { count: hundredths.format(ms / 1_000) }),
      ms: (ms) => t('ms', { count: Math.round(ms) }),
      bytes: (count) => tLab('bytes', { count }),
      count: (count) => whole.format(count),
    };
  }, [t, tLab, language]);
}
