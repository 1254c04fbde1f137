import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { formatLength } from './use-durations';

/** Returns `formatPeriod` in the page's language. Needs the namespace `duration`. */
export function usePeriod(): (ms: number) => string {
  const t = useTranslations('duration');
  return useCallback((ms) => formatPeriod(t, ms), [t]);
}

/**
 * Formats a window in ms for text after "per" or "in any": `10 s`, `minute`. In Chinese, it begins with the space that a
 * number needs: `每` + ` 10 秒`, `每` + `分钟`. `t` reads the namespace `duration`.
 */
export function formatPeriod(t: ReturnType<typeof useTranslations<'duration'>>, ms: number): string {
  if (ms === 1_000) return t('second');
  return ms === 60_000 ? t('minute') : t('period', { length: formatLength(t, ms) });
}
