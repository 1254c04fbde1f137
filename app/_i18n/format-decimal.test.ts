import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDecimal, formatFixed } from './format-decimal';

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
