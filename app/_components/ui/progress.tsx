import { classNames } from './class-names';
import styles from './progress.module.css';

interface Props {
  label: string;
  /** How long it takes, in ms; 0 where nobody knows. */
  overMs: number;
}

/** Something is under way. It fills in the time that was asked for and then waits, full, for the end. */
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
