import { getRequestConfig } from 'next-intl/server';
import { pageRequest } from '../_trpc/server';
import { messages } from './messages';

/**
 * The listener has resolved the language once, for pages and procedures alike.
 * Times of day are formatted in the browser, which alone knows its time zone; UTC here only makes that explicit.
 */
export default getRequestConfig(async () => {
  const { language } = await pageRequest();
  return { locale: language, messages: messages[language], timeZone: 'UTC' };
});
