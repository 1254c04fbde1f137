'use client';

import { type DateTimeFormatOptions, useTranslations } from 'next-intl';
import { useCallback } from 'react';
import layout from '../_components/ui/layout.module.css';
import { Instant, useLocalTime } from '../_i18n/local-time';
import { formatCount } from '../_i18n/numbers';
import { useDurations } from '../_i18n/use-durations';

const formats = {
  /** For events, to compare with a log. */
  second: {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
  /** For what happens now. */
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  minute: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
} as const satisfies Record<string, DateTimeFormatOptions>;

interface Props {
  /** Epoch ms. */
  at: number;
  /** Precision. Default: `second`. */
  to?: keyof typeof formats;
}

/** Shows an instant in the operator's time zone. */
export function ClockTime({ at, to = 'second' }: Props) {
  return <Instant at={at} format={formats[to]} />;
}

/** Returns a formatter of an instant as a clock time with seconds, in the browser's time zone. */
export function useClockFormat(): (at: number) => string {
  const format = useLocalTime();
  return useCallback((at) => format(at, { timeStyle: 'medium', hourCycle: 'h23' }), [format]);
}

/** Returns a formatter of measured times in ms: `1.2 s`; from ten seconds on like a wait. Needs the namespace `duration`. */
export function usePrecise(): (ms: number) => string {
  const t = useTranslations('duration');
  const { wait } = useDurations();
  return useCallback(
    (ms) =>
      ms > 9_900
        ? wait(Math.ceil(ms / 1_000))
        : t('precise', { count: (Math.ceil(ms / 100) / 10).toFixed(1) }),
    [t, wait],
  );
}

/**
 * Formats a share as a whole percentage: `50%`, in both languages. Only the whole is `100%`, and only nothing is `0%`. A share
 * below 1% is `<1%`: rounded up, the small shares of a column would add up to more than the whole.
 */
export function formatPercent(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 1) return '<1%';
  return `${percent < 100 ? Math.min(99, Math.round(percent)) : Math.round(percent)}%`;
}

/** Returns a rate as `formatRate` shows it, in tenths, so that equal texts have equal numbers. */
export function toShownTenths(perSecond: number): number {
  return perSecond < 10 ? Math.round(perSecond * 10) : Math.round(perSecond) * 10;
}

/** Formats calls per second: one decimal below 10. */
export function formatRate(perSecond: number): string {
  return perSecond < 10 ? String(toShownTenths(perSecond) / 10) : formatCount(Math.round(perSecond));
}

/** The first characters distinguish ids on a page. The title has the whole id. */
const SHOWN_LENGTH = 8;

/** Shows a shortened id. */
export function Identifier({ id }: { id: string }) {
  return (
    <code className={layout.code} title={id}>
      {id.length > SHOWN_LENGTH + 1 ? `${id.slice(0, SHOWN_LENGTH)}…` : id}
    </code>
  );
}
