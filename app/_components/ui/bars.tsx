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

interface ProgressProps {
  label: string;
  /** Expected duration in ms; 0 if unknown. */
  overMs: number;
}

/** A progress bar that fills in the expected time, then stays full until the end. */
export function Progress({ label, overMs }: ProgressProps) {
  return (
    <div role="progressbar" aria-label={label} className={styles.bar}>
      <div
        className={classNames(styles.filled, overMs === 0 ? styles.unknown : styles.timed)}
        style={overMs === 0 ? undefined : { animationDuration: `${overMs}ms` }}
      />
    </div>
  );
}

interface ShareProps {
  label: string;
  value: number;
  max: number;
}

/** A progress bar with a known share. */
export function ShareProgress({ label, value, max }: ShareProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(1, max)}
      aria-valuenow={value}
      className={styles.bar}
    >
      <div className={styles.filled} style={{ translate: offsetOf(shareOf(value, max)) }} />
    </div>
  );
}

interface LimitProps {
  value: number;
  /** Marked with a line across the bar. */
  limit: number;
  /** The value of the full width: at least `value` and `limit`. */
  max: number;
}

/** Draws a value against a limit that it may exceed. Hidden from screen readers: state the value as text next to it. */
export function LimitBar({ value, limit, max }: LimitProps) {
  const percent = (count: number) => `${shareOf(count, max) * 100}%`;
  return (
    <div aria-hidden="true" className={styles.limitBar}>
      <div
        className={styles.within}
        style={{ width: percent(Math.min(value, limit)), minWidth: value > 0 ? 2 : 0 }}
      />
      <div
        className={styles.excess}
        style={{ left: percent(limit), width: percent(Math.max(0, value - limit)) }}
      />
      <div className={styles.limit} style={{ left: percent(limit) }} />
    </div>
  );
}

function shareOf(value: number, max: number): number {
  return max > 0 ? Math.min(1, value / max) : 0;
}

function offsetOf(share: number): string {
  return `${(share - 1) * 100}%`;
}
