import { useFormatter, useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { formatCount } from '../_i18n/numbers';

interface LabNumbers {
  /** Formats a time on the lab's clock: `10.25 s`. */
  time(ms: number): string;
  /** Formats an axis label without trailing zeros: `10 s`, `2.5 s`. */
  tick(ms: number): string;
  /** Formats a duration: `517 ms`, from one second `8.67 s`. */
  ms(ms: number): string;
  bytes(count: number): string;
  count(count: number): string;
}

const fixed = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** Formatters in the page's language, stable across renders. Needs the namespaces `duration` and `lab`. */
export function useLabNumbers(): LabNumbers {
  const t = useTranslations('duration');
  const tLab = useTranslations('lab.units');
  const { number } = useFormatter();

  return useMemo(() => {
    const time = (ms: number) => t('precise', { count: number(ms / 1_000, fixed) });
    return {
      tick: (ms) => t('precise', { count: number(ms / 1_000, { maximumFractionDigits: 2 }) }),
      time,
      ms: (ms) => (Math.round(ms) < 1_000 ? t('ms', { count: Math.round(ms) }) : time(ms)),
      bytes: (count) => tLab('bytes', { count }),
      count: formatCount,
    };
  }, [t, tLab, number]);
}
