import type { Language } from '../_trpc/types';
import en from './en.json';
import type { locales } from './language';
import zh from './zh.json';

/** The English texts define the keys. A test checks keys and placeholders of each other language. */
export type Messages = typeof en;

export const messages: Record<Language, Messages> = { en, zh };

declare module 'next-intl' {
  interface AppConfig {
    Locale: (typeof locales)[Language];
    Messages: Messages;
  }
}
