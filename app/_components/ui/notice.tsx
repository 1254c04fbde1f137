import type { ReactNode } from 'react';
import { classNames } from './class-names';
import styles from './notice.module.css';

const tones = {
  plain: styles.plain,
  good: styles.good,
  /** Refused for a time. */
  refused: styles.refused,
  failed: styles.failed,
  warning: styles.warning,
  /** Upcoming. */
  waiting: styles.waiting,
  /** Paused; it resumes by itself. */
  paused: styles.paused,
  /** Finished. */
  over: styles.over,
  /** A dependency is unavailable. */
  unavailable: styles.unavailable,
} as const;

/** A message about a result, shown next to its cause. */
export function Notice({ tone = 'plain', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <div className={classNames(styles.notice, tones[tone])}>
      <div className={styles.body}>{children}</div>
    </div>
  );
}
