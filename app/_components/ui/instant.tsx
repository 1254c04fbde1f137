'use client';

import { useSyncExternalStore } from 'react';
import { getDateFormat } from '../../_i18n/date-format';

const never = () => () => undefined;

/** A space of a digit's width that prevents a line break. */
const FIGURE_SPACE = '\u2007';
const SPACES_PER_FIELD = 3;
/** ` 2027` */
const SPACES_OF_YEAR = 4;

interface Props {
  /** Epoch ms. */
  at: number;
  format: Intl.DateTimeFormatOptions;
}

/**
 * Shows an instant in the visitor's time zone. It is available only in the browser, so the server renders a blank
 * of about its width.
 */
export function Instant({ at, format }: Props) {
  const text = useSyncExternalStore(
    never,
    () => formatInstant(at, { language: document.documentElement.lang, format, now: Date.now() }),
    () => blankOf(at, { format, now: Date.now() }),
  );
  return <time dateTime={new Date(at).toISOString()}>{text}</time>;
}

/** Returns a blank of about the width of an instant. The years are those of UTC, because both sides must agree. */
export function blankOf(at: number, { format, now }: Omit<FormatOptions, 'language'>): string {
  const { hourCycle: _, ...fields } = format;
  const hasYear =
    fields.day !== undefined && new Date(at).getUTCFullYear() !== new Date(now).getUTCFullYear();
  return FIGURE_SPACE.repeat(SPACES_PER_FIELD * Object.keys(fields).length + (hasYear ? SPACES_OF_YEAR : 0));
}

interface FormatOptions {
  language: string;
  format: Intl.DateTimeFormatOptions;
  /** The present, epoch ms. */
  now: number;
}

/** Formats an instant in the local time zone. Adds the year to a date of another year. */
export function formatInstant(at: number, { language, format, now }: FormatOptions): string {
  const needsYear = format.day !== undefined && new Date(at).getFullYear() !== new Date(now).getFullYear();
  return getDateFormat(language, needsYear ? { ...format, year: 'numeric' } : format).format(at);
}
