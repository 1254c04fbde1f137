import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { useDurations } from '../_i18n/use-durations';

/** Returns a formatter of measured times in ms: `1.2 s`; from ten seconds on like a wait. Needs the namespace `duration`. */
export function usePrecise(): (ms: number) => string {
  const t = useTranslations('duration');
  const { wait } = useDurations();
  return useCallback(
    (ms) =>
      ms > 9_900
        ? wait(Math.ceil(ms / 1_000))
        : t('precise', { count: (Math.ceil(ms / 100) / 10).toFixed(1) }),
    [t, wait],
  );
}
