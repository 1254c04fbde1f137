import { shareOf } from './meter';
import styles from './status.module.css';

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
