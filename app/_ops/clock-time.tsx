'use client';

import type { DateTimeFormatOptions } from 'next-intl';
import { Instant } from '../_i18n/local-time';

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
