import type { Language } from '../_trpc/types';

/** All prices are in one currency, in cents. */
const currency = 'EUR';

const formats = new Map<string, Intl.NumberFormat>();

/** Formats a price: `€9.90`, or `€20` without cents. */
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
