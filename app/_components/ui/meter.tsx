'use client';

import { useEffect, useState } from 'react';
import { classNames } from './class-names';
import styles from './status.module.css';

interface MeterProps {
  value: number;
  max: number;
  /** The ids of the labelling elements. */
  labelledBy: string;
  /** The value as text. */
  text: string;
}

/** Time for which a drop stays visible. In a flood the next one comes before, so nothing moves. */
const LOST_SHOWN_MS = 400;

/** A gauge. Not the `meter` element, because browsers style its inside differently. */
export function Meter({ value, max, labelledBy, text }: MeterProps) {
  const share = shareOf(value, max);
  const [shownShare, setShownShare] = useState(share);

  useEffect(() => {
    const timer = setTimeout(() => setShownShare(share), LOST_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [share]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div
      role="meter"
      className={classNames(styles.bar, styles.meter)}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-labelledby={labelledBy}
      aria-valuetext={text}
    >
      <div className={styles.lost} style={{ translate: offsetOf(shownShare) }} />
      <div className={styles.filled} style={{ translate: offsetOf(share) }} />
    </div>
  );
}

/** Returns the share of a value in its maximum, 0 to 1. */
export function shareOf(value: number, max: number): number {
  return max > 0 ? Math.min(1, value / max) : 0;
}

/** Returns the CSS translation of a full bar that shows a share. */
export function offsetOf(share: number): string {
  return `${(share - 1) * 100}%`;
}
