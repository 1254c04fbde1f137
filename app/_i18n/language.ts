import { useLocale } from 'next-intl';
import type { Language } from '../_trpc/types';

/** The locale of each language. English is British, like its words and the prices: `Wed 25 Nov, 14:22`. */
export const locales = { en: 'en-GB', zh: 'zh' } as const satisfies Record<Language, string>;

/** Returns the language of the page, as the API names it. */
export function useLanguage(): Language {
  return useLocale() === locales.zh ? 'zh' : 'en';
}

/** Returns the text between two sentences: a space, in Chinese none. */
export function sentenceGap(locale: string): '' | ' ' {
  return locale === locales.zh ? '' : ' ';
}

/** Keeps the number of a house on the line of its street: `9 Canal Steps`, `渡口街 21 号`. */
export function keepNumber(address: string): string {
  return address.replace(/(?<=\d) | (?=\d)/g, '\u00a0');
}
