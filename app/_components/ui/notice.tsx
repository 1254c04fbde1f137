import type { ReactNode } from 'react';
import { classNames } from './class-names';
import styles from './notice.module.css';

type Tone =
  | 'plain'
  | 'good'
  /** Refused for a time. */
  | 'refused'
  | 'failed'
  | 'warning'
  /** Upcoming. */
  | 'waiting'
  /** Paused; it resumes by itself. */
  | 'paused'
  /** Finished. */
  | 'over'
  /** A dependency is unavailable. */
  | 'unavailable';

/** A message about a result, shown next to its cause. */
export function Notice({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <div className={classNames(styles.notice, styles[tone])}>
      <div className={styles.body}>{children}</div>
    </div>
  );
}
