import { useEffect, useState } from 'react';
import styles from './meter.module.css';

interface Props {
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
export function Meter({ value, max, labelledBy, text }: Props) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  const [shownShare, setShownShare] = useState(share);

  useEffect(() => {
    const timer = setTimeout(() => setShownShare(share), LOST_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [share]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div
      role="meter"
      className={styles.meter}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-labelledby={labelledBy}
      aria-valuetext={text}
    >
      <div className={styles.lost} style={{ translate: offsetOf(shownShare) }} />
      <div className={styles.fill} style={{ translate: offsetOf(share) }} />
    </div>
  );
}

function offsetOf(share: number): string {
  return `${(share - 1) * 100}%`;
}
