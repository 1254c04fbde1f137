import type { useTranslations } from 'next-intl';

/** Formats the length of a window in ms: `10 s`, `1 min`. `t` reads the namespace `duration`. */
export function formatLength(t: ReturnType<typeof useTranslations<'duration'>>, ms: number): string {
  if (ms % 3_600_000 === 0) return t('hours', { count: ms / 3_600_000 });
  if (ms % 60_000 === 0) return t('minutes', { count: ms / 60_000 });
  return ms % 1_000 === 0 ? t('seconds', { count: ms / 1_000 }) : t('ms', { count: ms });
}
