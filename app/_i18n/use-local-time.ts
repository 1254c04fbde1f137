import { type DateTimeFormatOptions, useFormatter } from 'next-intl';
import { useCallback } from 'react';

/**
 * Returns a formatter of instants, epoch ms, in the visitor's time zone. Call it only in the browser: the server does not know
 * the zone, so the formatter of next-intl has UTC.
 */
export function useLocalTime(): (at: number, options: DateTimeFormatOptions) => string {
  const { dateTime } = useFormatter();
  return useCallback((at, options) => dateTime(at, { ...options, timeZone: getTimeZone() }), [dateTime]);
}

let timeZone: string | undefined;

/** Returns the time zone of the browser. Reads it once, because a new formatter takes 0.2 ms. */
function getTimeZone(): string {
  timeZone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return timeZone;
}
