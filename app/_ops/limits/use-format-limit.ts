import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { usePeriod } from '../../_i18n/use-durations';

/**
 * Returns a formatter of a limit: `3 per 10 s`; of calls in flight `3 at the same time`. Needs the namespaces `ops` and
 * `duration`.
 */
export function useFormatLimit(): (limit: { limit: number; windowMs: number }, algorithm: string) => string {
  const t = useTranslations('ops');
  const period = usePeriod();
  return useCallback(
    ({ limit, windowMs }, algorithm) =>
      algorithm === 'in-flight' ? t('running', { limit }) : t('rate', { limit, window: period(windowMs) }),
    [t, period],
  );
}
