import type { ReactNode } from 'react';
import { classNames } from './class-names';
import styles from './notice.module.css';

const tones = {
  plain: styles.plain,
  good: styles.good,
  refused: styles.refused,
  warning: styles.warning,
  /** Something is to come. */
  waiting: styles.waiting,
  /** Something stands still and will go on. */
  paused: styles.paused,
  /** Something has come to its end. */
  over: styles.over,
  /** Something that is needed is out of reach. */
  cut: styles.cut,
} as const;

interface Props {
  tone?: keyof typeof tones;
  children: ReactNode;
}

/** What became of something, said where it was asked. */
export function Notice({ tone = 'plain', children }: Props) {
  return (
    <div className={classNames(styles.notice, tones[tone])}>
      <div className={styles.body}>{children}</div>
    </div>
  );
}
