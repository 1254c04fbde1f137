import { useLocale } from 'next-intl';
import { useMemo } from 'react';
import { getDateFormat } from './date-format';

interface Formats {
  number(value: number, options?: Intl.NumberFormatOptions): string;
  /** Formats an instant in UTC, as epoch ms. */
  date(at: number, options: Intl.DateTimeFormatOptions): string;
  /** Joins texts with "and". */
  list(texts: readonly string[]): string;
}

/**
 * Returns formatters in the page's language. Unlike `useFormatter` of next-intl, it is not part of every page's first load:
 * next-intl keeps that hook in one module with `useTranslations`.
 */
export function useFormats(): Formats {
  const language = useLocale();
  return useMemo(
    () => ({
      number: (value, options) => new Intl.NumberFormat(language, options).format(value),
      date: (at, options) => getDateFormat(language, { ...options, timeZone: 'UTC' }).format(at),
      list: (texts) => new Intl.ListFormat(language, { type: 'conjunction' }).format(texts),
    }),
    [language],
  );
}
