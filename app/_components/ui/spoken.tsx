'use client';

import { useEffect, useRef, useState } from 'react';
import styles from './spoken.module.css';

interface Props {
  text: string;
  /** The least time between two announcements, in ms. */
  everyMs: number;
}

/** Says a text that changes often, politely and not too often. For the ears only. */
export function Spoken({ text, everyMs }: Props) {
  const [said, setSaid] = useState('');
  const saidAt = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    const waitMs = Math.max(0, saidAt.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      saidAt.current = performance.now();
      setSaid(text);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [text, everyMs]);

  return (
    <span role="status" className={styles.spoken}>
      {said}
    </span>
  );
}
