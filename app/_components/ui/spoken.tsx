'use client';

import { useEffect, useRef, useState } from 'react';
import styles from './spoken.module.css';

interface Props {
  text: string;
  /** The least time between two announcements, in ms. */
  everyMs: number;
  /** When this changes, the text is said at once all the same. */
  atOnce: boolean;
}

/** Says a text that changes often, politely and not too often. For the ears only; the first text is not said. */
export function Spoken({ text, everyMs, atOnce }: Props) {
  const [said, setSaid] = useState('');
  const before = useRef({ text, atOnce, saidAt: Number.NEGATIVE_INFINITY });

  useEffect(() => {
    if (before.current.text === text && before.current.atOnce === atOnce) return;
    const waitMs = before.current.atOnce === atOnce ? before.current.saidAt + everyMs - performance.now() : 0;
    const timer = setTimeout(
      () => {
        before.current = { text, atOnce, saidAt: performance.now() };
        setSaid(text);
      },
      Math.max(0, waitMs),
    );
    return () => clearTimeout(timer);
  }, [text, everyMs, atOnce]);

  return (
    <span role="status" className={styles.spoken}>
      {said}
    </span>
  );
}
