import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { formatCount } from './numbers';

interface Durations {
  /** Formats a wait in whole seconds: `7 s`, `1 min 42 s`, `2 h 5 min`, `3 days`. */
  wait(seconds: number): string;
  /** Formats the length of a window in ms: `10 s`, `1 min`. */
  length(ms: number): string;
}

/** Returns formatters of durations in the page's language. Needs the namespace `duration`. */
export function useDurations(): Durations {
  const t = useTranslations('duration');
  return useMemo(() => {
    function wait(seconds: number): string {
      if (seconds < 60) return t('seconds', { count: seconds });
      const minutes = Math.floor(seconds / 60);
      // Two digits, so that a countdown keeps its width.
      if (minutes < 60)
        return t('minutesSeconds', { minutes, seconds: String(seconds % 60).padStart(2, '0') });
      const hours = Math.floor(minutes / 60);
      if (hours < 48) return t('hoursMinutes', { hours, minutes: minutes % 60 });
      return t('days', { count: Math.round(hours / 24) });
    }

    return {
      wait,
      length: (ms) => formatLength(t, ms),
    };
  }, [t]);
}

/** Formats the length of a window in ms: `10 s`, `1 min`. `t` reads the namespace `duration`. */
export function formatLength(t: ReturnType<typeof useTranslations<'duration'>>, ms: number): string {
  if (ms % 3_600_000 === 0) return t('hours', { count: formatCount(ms / 3_600_000) });
  if (ms % 60_000 === 0) return t('minutes', { count: formatCount(ms / 60_000) });
  return ms % 1_000 === 0
    ? t('seconds', { count: formatCount(ms / 1_000) })
    : t('ms', { count: formatCount(ms) });
}

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
