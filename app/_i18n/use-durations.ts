import { useTranslations } from 'next-intl';
import { useMemo } from 'react';

interface Durations {
  /** Formats a wait in whole seconds: `7 s`, `1:42`, `2:05:00`, `3 days`. */
  wait(seconds: number): string;
  /** Formats a countdown in ms like `wait`: rounded up, at least one second. */
  countdown(ms: number): string;
  /** Formats a measured time in ms: `1.2 s`; from ten seconds on like `wait`. */
  precise(ms: number): string;
  /** Formats the length of a window in ms: `10 s`, `1 min`. */
  length(ms: number): string;
}

const dayInSeconds = 86_400;

/** Returns formatters of durations in the page's language. Needs the namespace `duration`. */
export function useDurations(): Durations {
  const t = useTranslations('duration');
  return useMemo(() => {
    function wait(seconds: number): string {
      if (seconds < 60) return t('seconds', { count: seconds });
      if (seconds < 2 * dayInSeconds) return clockFace(seconds);
      return t('days', { count: Math.round(seconds / dayInSeconds) });
    }

    return {
      wait,
      countdown: (ms) => wait(Math.max(1, Math.ceil(ms / 1_000))),
      precise(ms) {
        if (ms > 9_900) return wait(Math.ceil(ms / 1_000));
        return t('precise', { count: (Math.ceil(ms / 100) / 10).toFixed(1) });
      },
      length: (ms) => formatLength(t, ms),
    };
  }, [t]);
}

/** Formats the length of a window in ms: `10 s`, `1 min`. `t` reads the namespace `duration`. */
export function formatLength(t: ReturnType<typeof useTranslations<'duration'>>, ms: number): string {
  if (ms % 3_600_000 === 0) return t('hours', { count: ms / 3_600_000 });
  if (ms % 60_000 === 0) return t('minutes', { count: ms / 60_000 });
  return ms % 1_000 === 0 ? t('seconds', { count: ms / 1_000 }) : t('ms', { count: ms });
}

function clockFace(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [first, ...rest] = parts[0] === 0 ? parts.slice(1) : parts;
  return [first, ...rest.map((part) => String(part).padStart(2, '0'))].join(':');
}
