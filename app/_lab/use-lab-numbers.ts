import { useLocale, useTranslations } from 'next-intl';
import { useMemo } from 'react';

interface LabNumbers {
  /** Formats a time on the lab's clock: `10.25 s`. */
  time(ms: number): string;
  /** Formats an axis label without trailing zeros: `10 s`, `2.5 s`. */
  tick(ms: number): string;
  /** Formats a wait: `4,750 ms`. */
  ms(ms: number): string;
  bytes(count: number): string;
  count(count: number): string;
}

/** Formatters in the page's language, stable across renders. Needs the namespaces `duration` and `lab`. */
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
