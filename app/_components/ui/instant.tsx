'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

const format = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
} as const;

/** Shows an instant in the visitor's time zone. Only the browser knows it, so the server renders a blank. */
export function Instant({ at }: { at: number }) {
  const text = useSyncExternalStore(
    never,
    () => new Intl.DateTimeFormat(document.documentElement.lang, format).format(at),
    () => '\u00a0',
  );
  return <time dateTime={new Date(at).toISOString()}>{text}</time>;
}
