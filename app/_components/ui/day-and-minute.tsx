'use client';

import { useLocale } from 'next-intl';
import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** About as wide as the text. */
const BLANK = '\u2007'.repeat(15);

/**
 * Shows an instant, epoch ms, in the visitor's time zone: `Thu 26 Nov, 17:03`. It is available only in the browser, so the
 * server renders a blank.
 */
export function DayAndMinute({ at }: { at: number }) {
  const language = useLocale();
  const text = useSyncExternalStore(
    never,
    () => formatDayAndMinute(at, { language, now: Date.now() }),
    () => BLANK,
  );
  return <time dateTime={new Date(at).toISOString()}>{text}</time>;
}

const weekdays = {
  en: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'],
  zh: ['日', '一', '二', '三', '四', '五', '六'],
};
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/**
 * Formats an instant in the local time zone; a date of another year has its year. Without `Intl`, whose first date formatter
 * blocks a phone for 70 ms.
 */
export function formatDayAndMinute(at: number, { language, now }: { language: string; now: number }): string {
  const date = new Date(at);
  const fullYear = date.getFullYear();
  const year = fullYear === new Date(now).getFullYear() ? undefined : fullYear;
  const time = `${date.getHours()}:${String(date.getMinutes()).padStart(2, '0')}`;
  if (language === 'zh') {
    const day = `${date.getMonth() + 1}月${date.getDate()}日周${weekdays.zh[date.getDay()]}`;
    return `${year ? `${year}年` : ''}${day} ${time}`;
  }
  const day = `${date.getDate()} ${months[date.getMonth()]}`;
  return `${weekdays.en[date.getDay()]}${year ? `, ${day} ${year}` : ` ${day}`}, ${time}`;
}
