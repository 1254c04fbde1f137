'use client';

import { useEffect, useRef, useState } from 'react';
import layout from './layout.module.css';

interface Props {
  text: string;
  /** The minimum time between announcements, in ms. */
  minIntervalMs: number;
  /** A change of this flag announces the text at once. */
  urgentKey: boolean;
}

/**
 * Announces a frequently changing text to screen readers, politely and at a limited rate. Does not announce the first
 * text.
 */
export function Announcer({ text, minIntervalMs, urgentKey }: Props) {
  const [announced, setAnnounced] = useState('');
  const before = useRef({ text, urgentKey, announcedAt: Number.NEGATIVE_INFINITY });

  useEffect(() => {
    if (before.current.text === text && before.current.urgentKey === urgentKey) return;
    const waitMs =
      before.current.urgentKey === urgentKey
        ? before.current.announcedAt + minIntervalMs - performance.now()
        : 0;
    const timer = setTimeout(
      () => {
        before.current = { text, urgentKey, announcedAt: performance.now() };
        setAnnounced(text);
      },
      Math.max(0, waitMs),
    );
    return () => clearTimeout(timer);
  }, [text, minIntervalMs, urgentKey]);

  return (
    <span role="status" className={layout.visuallyHidden}>
      {announced}
    </span>
  );
}
