'use client';

import { useLocale } from 'next-intl';
import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

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
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

interface Props {
  /** Epoch ms. */
  at: number;
  /** Precision. Default: `second`. */
  to?: keyof typeof formats;
}

/** Shows an instant in the operator's time zone. The server renders a blank, because only the browser has the time zone. */
export function ClockTime({ at, to = 'second' }: Props) {
  const language = useLocale();
  const text = useSyncExternalStore(
    never,
    () => new Intl.DateTimeFormat(language, formats[to]).format(at),
    () => '\u00a0',
  );
  return <time dateTime={new Date(at).toISOString()}>{text}</time>;
}
