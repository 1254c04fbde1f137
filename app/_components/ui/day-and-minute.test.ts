import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getDateFormat } from '../../_i18n/date-format';
import { formatDayAndMinute } from './day-and-minute';

const fields = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
} as const;
const now = new Date(2026, 10, 26, 12).getTime();

test.each(['en', 'zh'])('%s: an instant is formatted like that of Intl', (language) => {
  fc.assert(
    fc.property(fc.date({ min: new Date(2025, 0), max: new Date(2028, 0), noInvalidDate: true }), (date) => {
      const isThisYear = date.getFullYear() === 2026;
      const format = getDateFormat(language, isThisYear ? fields : { ...fields, year: 'numeric' });
      expect(formatDayAndMinute(date.getTime(), { language, now })).toBe(format.format(date));
    }),
  );
});
