import { classNames } from './class-names';
import styles from './progress.module.css';

interface Props {
  label: string;
  /** Expected duration in ms; 0 if unknown. */
  overMs: number;
}

/** A progress bar that fills in the expected time, then stays full until the end. */
export function Progress({ label, overMs }: Props) {
  return (
    <div role="progressbar" aria-label={label} className={styles.track}>
      <div
        className={classNames(styles.fill, overMs === 0 && styles.unknown)}
        style={overMs === 0 ? undefined : { animationDuration: `${overMs}ms` }}
      />
    </div>
  );
}
