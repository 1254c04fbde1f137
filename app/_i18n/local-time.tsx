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

const never = () => () => undefined;

/** A space of a digit's width that prevents a line break. */
const FIGURE_SPACE = '\u2007';
const SPACES_PER_FIELD = 3;
/** ` 2027` */
const SPACES_OF_YEAR = 4;

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

/**
 * Shows an instant in the visitor's time zone; a date of another year has its year. The zone is known only in the browser, so
 * the server renders a blank of about its width.
 */
export function Instant({ at, format = dayAndMinute }: Props) {
  const formatLocal = useLocalTime();
  const text = useSyncExternalStore(
    never,
    () => formatLocal(at, hasOtherYear(at, { format, now: Date.now() }) ? withYear(format) : format),
    () => blankOf(at, { format, now: Date.now() }),
  );
  return <time dateTime={new Date(at).toISOString()}>{text}</time>;
}

interface YearOptions {
  format: DateTimeFormatOptions;
  /** The present, epoch ms. */
  now: number;
}

/** Returns a blank of about the width of an instant. The years are those of UTC, because both sides must agree. */
export function blankOf(at: number, { format, now }: YearOptions): string {
  const { hourCycle: _, ...fields } = format;
  const hasYear =
    fields.day !== undefined && new Date(at).getUTCFullYear() !== new Date(now).getUTCFullYear();
  return FIGURE_SPACE.repeat(SPACES_PER_FIELD * Object.keys(fields).length + (hasYear ? SPACES_OF_YEAR : 0));
}

/** Returns true for a date whose local year is not the present one. A time without a date needs no year. */
export function hasOtherYear(at: number, { format, now }: YearOptions): boolean {
  return format.day !== undefined && new Date(at).getFullYear() !== new Date(now).getFullYear();
}

function withYear(format: DateTimeFormatOptions): DateTimeFormatOptions {
  return { ...format, year: 'numeric' };
}
