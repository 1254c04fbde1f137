import { NextIntlClientProvider } from 'next-intl';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { locales } from '../../_i18n/language';
import { messages } from '../../_i18n/messages';
import { RefusalReason } from './explain-dialog';

function reasonIn(locale: 'en' | 'zh', mode: 'enforce' | 'block', isElsewhere: boolean): string {
  const window = { level: 'user', limit: 3, windowMs: 60_000, algorithm: 'sliding-log', mode } as const;
  return renderToStaticMarkup(
    <NextIntlClientProvider locale={locales[locale]} messages={messages[locale]} timeZone="UTC">
      <RefusalReason window={window} at={null} isElsewhere={isElsewhere} />
    </NextIntlClientProvider>,
  );
}

test.each([false, true])(
  'a blocked level is the reason, not its window (of another level: %s)',
  (isElsewhere) => {
    expect(reasonIn('en', 'enforce', isElsewhere)).toContain('had filled');
    const blocked = reasonIn('en', 'block', isElsewhere);
    expect(blocked).toContain('An operator blocks the limit');
    expect(blocked).not.toContain('filled');
    expect(reasonIn('zh', 'block', isElsewhere)).toContain('全部拒绝');
  },
);
