import type { Language } from '../_trpc/types';
import type { locales } from './language';
import type { Messages } from './messages';

declare module 'next-intl' {
  interface AppConfig {
    Locale: (typeof locales)[Language];
    Messages: Messages;
  }
}
