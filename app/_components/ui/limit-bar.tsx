import { classNames } from './class-names';
import styles from './limit-bar.module.css';

interface Props {
  value: number;
  /** Marked across the bar. */
  limit: number;
  /** What the whole width is: at least the value and the limit. */
  max: number;
}

/** A value against a limit that it may exceed. What it shows is to be said beside it: it is hidden from who cannot see. */
export function LimitBar({ value, limit, max }: Props) {
  const share = (count: number) => `${max > 0 ? Math.min(100, (count / max) * 100) : 0}%`;
  return (
    <div aria-hidden="true" className={classNames(styles.bar, value > limit && styles.over)}>
      <div className={styles.fill} style={{ width: share(Math.min(value, limit)) }} />
      <div
        className={styles.excess}
        style={{ left: share(limit), width: share(Math.max(0, value - limit)) }}
      />
      <div className={styles.limit} style={{ left: share(limit) }} />
    </div>
  );
}
