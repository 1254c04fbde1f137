import type { Language } from '../_trpc/types';

/** All prices of the sale are in one currency; the procedures give cents of it. */
const currency = 'EUR';

const formats = new Map<string, Intl.NumberFormat>();

/** `€9.90`, and `€20` where there are no cents to show. */
export function formatMoney(cents: number, language: Language): string {
  const digits = cents % 100 === 0 ? 0 : 2;
  const key = `${language}:${digits}`;
  const format = formats.get(key) ?? moneyFormat(language, digits);
  formats.set(key, format);
  return format.format(cents / 100);
}

function moneyFormat(language: Language, digits: number): Intl.NumberFormat {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
