import type { Language } from '../_trpc/types';
import type { Messages } from './messages';

declare module 'next-intl' {
  interface AppConfig {
    Locale: Language;
    Messages: Messages;
  }
}
