import { NextIntlClientProvider } from 'next-intl';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Instant } from './local-time';

const thisYear = new Date().getUTCFullYear();
const date = { day: 'numeric', month: 'short' } as const;

/** Renders an instant as the server does: in UTC, hidden until the browser knows its zone. */
function render(at: number, format: object): string {
  const html = renderToStaticMarkup(
    <NextIntlClientProvider locale="en-GB">
      <Instant at={at} format={format} />
    </NextIntlClientProvider>,
  );
  expect(html).toMatch(/^<time [^>]*style="visibility:hidden"/);
  return html.replaceAll(/<[^>]+>/g, '');
}

test.each([
  ['this year', Date.UTC(thisYear, 2, 1), '1 Mar'],
  ['next year', Date.UTC(thisYear + 1, 2, 1), `1 Mar ${thisYear + 1}`],
  ['the last second of last year', Date.UTC(thisYear, 0, 1) - 1, `31 Dec ${thisYear - 1}`],
])('a date of another year has its year: %s', (_, at, text) => {
  expect(render(at, date)).toBe(text);
});

test('a time without a date has no year', () => {
  const at = Date.UTC(thisYear + 1, 0, 1, 9, 5);
  expect(render(at, { hour: '2-digit', minute: '2-digit' })).toBe('09:05');
});
