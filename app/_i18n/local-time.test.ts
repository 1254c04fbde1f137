import { expect, test } from 'vitest';
import { blankOf, hasOtherYear } from './local-time';

const format = { day: 'numeric', month: 'short' } as const;
const now = new Date(2026, 10, 22, 12).getTime();

test.each([
  ['this year', new Date(2026, 0, 1), false],
  ['next year', new Date(2027, 10, 22), true],
  ['the last second of last year', new Date(2025, 11, 31, 23, 59, 59), true],
])('a date of another year has its year: %s', (_, date, expected) => {
  expect(hasOtherYear(date.getTime(), { format, now })).toBe(expected);
});

test('a time without a date has no year', () => {
  const at = new Date(2027, 0, 1, 9, 5).getTime();
  expect(hasOtherYear(at, { format: { hour: '2-digit', minute: '2-digit' }, now })).toBe(false);
});

test('the blank before a date has room for its fields, and for the year of another year', () => {
  const minute = { ...format, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  expect(blankOf(now, { format: minute, now })).toHaveLength(12);
  expect(blankOf(Date.UTC(2027, 10, 22), { format: minute, now })).toHaveLength(16);
});
