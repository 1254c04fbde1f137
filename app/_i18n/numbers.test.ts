import { expect, test } from 'vitest';
import { formatCount, formatMoney } from './numbers';

test.each([0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, -1_000, -100, Number.MAX_SAFE_INTEGER])(
  '%i is written as Intl does in both languages',
  (value) => {
    for (const language of ['en', 'zh']) {
      expect(formatCount(value)).toBe(new Intl.NumberFormat(language).format(value));
    }
  },
);

test.each([
  [0, '€0'],
  [990, '€9.90'],
  [2_000, '€20'],
  [1_005, '€10.05'],
  [123_456, '€1,234.56'],
] as const)('%i cents are %s', (cents, text) => {
  expect(formatMoney(cents)).toBe(text);
  for (const language of ['en', 'zh']) {
    const format = new Intl.NumberFormat(language, {
      style: 'currency',
      currency: 'EUR',
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: cents % 100 === 0 ? 0 : 2,
    });
    expect(text).toBe(format.format(cents / 100));
  }
});
