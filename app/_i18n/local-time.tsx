'use client';

import { type DateTimeFormatOptions, useFormatter } from 'next-intl';
import { useCallback, useSyncExternalStore } from 'react';

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

interface Props {
  /** Epoch ms. */
  at: number;
  /** Default: `Thu 26 Nov, 17:03`. */
  format?: DateTimeFormatOptions;
}

const dayAndMinute: DateTimeFormatOptions = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
};

const never = () => () => undefined;

/**
 * Shows an instant in the visitor's time zone; a date of another year has its year. The zone is known only in the browser, so
 * the server renders the time in UTC, which takes about the same space, and hides it.
 */
export function Instant({ at, format = dayAndMinute }: Props) {
  const { dateTime } = useFormatter();
  const zone = useSyncExternalStore(never, getTimeZone, () => undefined);
  const formatAt = (ms: number, options: DateTimeFormatOptions) =>
    dateTime(ms, { ...options, timeZone: zone ?? 'UTC' });
  const yearOf = (ms: number) => formatAt(ms, { year: 'numeric' });
  const hasOtherYear = format.day !== undefined && yearOf(at) !== yearOf(Date.now());
  return (
    <time
      dateTime={new Date(at).toISOString()}
      style={zone === undefined ? { visibility: 'hidden' } : undefined}
    >
      {formatAt(at, hasOtherYear ? { ...format, year: 'numeric' } : format)}
    </time>
  );
}
