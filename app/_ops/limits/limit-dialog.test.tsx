import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCClient } from '@trpc/client';
import { NextIntlClientProvider } from 'next-intl';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { AppRouter } from '../../../server/router';
import { locales } from '../../_i18n/language';
import { messages } from '../../_i18n/messages';
import { TRPCProvider } from '../../_trpc/client';
import type { Level } from '../types';
import LimitInDialog from './limit-dialog';

const known: Level = {
  ...{ level: 'global', algorithm: 'sliding-log', mode: 'enforce', version: 0 },
  ...{ declared: { limit: 100, windowMs: 10_000 }, effective: { limit: 40, windowMs: 10_000 } },
  ...{ countsAll: true, onStoreError: 'closed' },
};

test.each(['en', 'zh'] as const)(
  'before the list is read, the dialog shows the values of its row, and clearing the window comes last (%s)',
  (locale) => {
    const queryClient = new QueryClient();
    const html = renderToStaticMarkup(
      <NextIntlClientProvider locale={locales[locale]} messages={messages[locale]} timeZone="UTC">
        <QueryClientProvider client={queryClient}>
          <TRPCProvider trpcClient={createTRPCClient<AppRouter>({ links: [] })} queryClient={queryClient}>
            <LimitInDialog
              limit={{ policy: 'coupon.seckill', level: 'global', known }}
              onClose={() => undefined}
              onApplied={() => undefined}
            />
          </TRPCProvider>
        </QueryClientProvider>
      </NextIntlClientProvider>,
    );
    expect(html).toContain(messages[locale].opsLimits.now.replace('{value}', '40'));
    expect(html.indexOf(messages[locale].ops.clearWindow.open)).toBeGreaterThan(html.indexOf('</form>'));
  },
);
