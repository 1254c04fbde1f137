import { describe, expect, test } from 'vitest';
import { isFast } from '../../test/is-fast';
import { redactLine } from './log';

const limitMs = 5;

describe(`16 kB of a visitor's text are redacted in less than ${limitMs} ms`, () => {
  const units = [
    'a',
    ':',
    '::a',
    'a@',
    'a@a-',
    'a@a.',
    '1.1.',
    '1',
    '-',
    'a://',
    '"ip":[',
    '"ip":"',
    '@',
    'é',
  ];
  const ends = ['', 'g', '!', '@', '\\'];
  test.each(units)('repeated %s with any suffix', (unit) => {
    for (const end of ends) {
      const text = unit.repeat(Math.ceil(16_000 / unit.length)) + end;
      expect(isFast(() => redactLine(text), { limitMs })).toBe(true);
      expect(isFast(() => redactLine(`a@${text}`), { limitMs })).toBe(true);
      expect(isFast(() => redactLine(JSON.stringify({ path: text })), { limitMs })).toBe(true);
    }
  });
});
