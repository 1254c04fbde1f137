import { getRequestConfig } from 'next-intl/server';
import { getServer } from '../_trpc/server';
import { locales } from './language';
import { messages } from './messages';

/**
 * Returns the language that the HTTP listener resolved for pages and procedures. The browser formats times, because
 * only the browser has its time zone; UTC makes the server's choice explicit.
 */
export default getRequestConfig(async () => {
  const { language } = (await getServer()).request();
  return { locale: locales[language], messages: messages[language], timeZone: 'UTC' };
});
