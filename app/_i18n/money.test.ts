import { expect, test } from 'vitest';
import { formatMoney } from './money';

test.each([
  [0, 'en', '€0'],
  [990, 'en', '€9.90'],
  [2_000, 'zh', '€20'],
  [123_456, 'en', '€1,234.56'],
] as const)('%i cents in %s are %s', (cents, language, text) => {
  expect(formatMoney(cents, language)).toBe(text);
});
