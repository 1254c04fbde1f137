import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDecimal, formatFixed, formatPercent } from './format-decimal';

test.each(['en', 'zh'])('%s: numbers are formatted like those of Intl', (language) => {
  const fixed = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const short = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  fc.assert(
    fc.property(fc.nat(), (hundredths) => {
      const value = hundredths / 100;
      expect(formatFixed(value, 2)).toBe(fixed.format(value));
      expect(formatDecimal(value, 2)).toBe(short.format(value));
      expect(formatDecimal(value, 0)).toBe(formatFixed(value, 0));
    }),
  );
});

test.each([
  [0, '0%'],
  [0.001, '<1%'],
  [0.0099, '<1%'],
  [0.01, '1%'],
  [0.505, '51%'],
  [0.998, '99%'],
  [1, '100%'],
])('a share of %d is %s', (share, text) => {
  expect(formatPercent(share)).toBe(text);
});
