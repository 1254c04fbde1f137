import { expect, test } from 'vitest';
import { formatCount } from './format-count';

test.each([0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, -1_000, -100, Number.MAX_SAFE_INTEGER])(
  '%i is written as Intl does in both languages',
  (value) => {
    for (const language of ['en', 'zh']) {
      expect(formatCount(value)).toBe(new Intl.NumberFormat(language).format(value));
    }
  },
);
