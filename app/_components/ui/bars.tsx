import { classNames } from './class-names';
import { offsetOf, shareOf } from './meter';
import styles from './status.module.css';

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
