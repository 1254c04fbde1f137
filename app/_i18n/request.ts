import { getRequestConfig } from 'next-intl/server';
import { getPageRequest } from '../_trpc/server';
import { locales } from './language';
import { messages } from './messages';

/**
 * Returns the language that the HTTP listener resolved for pages and procedures. The browser formats times, because
 * only the browser has its time zone; UTC makes the server's choice explicit.
 */
export default getRequestConfig(async () => {
  const { language } = await getPageRequest();
  return { locale: locales[language], messages: messages[language], timeZone: 'UTC' };
});
