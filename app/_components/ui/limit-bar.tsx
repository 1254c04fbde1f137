import styles from './limit-bar.module.css';

interface Props {
  value: number;
  /** Marked with a line across the bar. */
  limit: number;
  /** The value of the full width: at least `value` and `limit`. */
  max: number;
}

/**
 * Draws a value against a limit that it may exceed. Hidden from screen readers: state the value as text next to it.
 */
export function LimitBar({ value, limit, max }: Props) {
  const share = (count: number) => `${max > 0 ? Math.min(100, (count / max) * 100) : 0}%`;
  return (
    <div aria-hidden="true" className={styles.bar}>
      <div
        className={styles.fill}
        style={{ width: share(Math.min(value, limit)), minWidth: value > 0 ? 2 : 0 }}
      />
      <div
        className={styles.excess}
        style={{ left: share(limit), width: share(Math.max(0, value - limit)) }}
      />
      <div className={styles.limit} style={{ left: share(limit) }} />
    </div>
  );
}
