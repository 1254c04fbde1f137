import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { formatCount } from '../_i18n/format-count';
import { formatDecimal, formatFixed } from '../_i18n/format-decimal';

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

/** Formatters in the page's language, stable across renders. Needs the namespaces `duration` and `lab`. */
export function useLabNumbers(): LabNumbers {
  const t = useTranslations('duration');
  const tLab = useTranslations('lab.units');

  return useMemo(() => {
    const time = (ms: number) => t('precise', { count: formatFixed(ms / 1_000, 2) });
    return {
      tick: (ms) => t('precise', { count: formatDecimal(ms / 1_000, 2) }),
      time,
      ms: (ms) => (Math.round(ms) < 1_000 ? t('ms', { count: Math.round(ms) }) : time(ms)),
      bytes: (count) => tLab('bytes', { count }),
      count: formatCount,
    };
  }, [t, tLab]);
}
