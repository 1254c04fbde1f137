import { expect, test } from 'vitest';
import { blankOf, formatInstant } from './instant';

const format = { day: 'numeric', month: 'short' } as const;
const now = new Date(2026, 10, 22, 12).getTime();

test.each([
  ['this year', new Date(2026, 0, 1), 'en', '1 Jan'],
  ['next year', new Date(2027, 10, 22), 'en', '22 Nov 2027'],
  ['the last second of last year', new Date(2025, 11, 31, 23, 59, 59), 'en', '31 Dec 2025'],
  ['next year in Chinese', new Date(2027, 10, 22), 'zh', '2027年11月22日'],
])('a date of another year has its year: %s', (_, date, language, text) => {
  expect(formatInstant(date.getTime(), { language, format, now })).toBe(text);
});

test('a time without a date has no year', () => {
  const at = new Date(2027, 0, 1, 9, 5).getTime();
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  expect(formatInstant(at, { language: 'en', format: time, now })).toBe('09:05');
});

test('the blank before a date has room for its fields, and for the year of another year', () => {
  const minute = { ...format, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  expect(blankOf(now, { format: minute, now })).toHaveLength(12);
  expect(blankOf(Date.UTC(2027, 10, 22), { format: minute, now })).toHaveLength(16);
});
