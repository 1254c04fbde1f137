import type { ReactNode } from 'react';
import { classNames } from './class-names';
import styles from './notice.module.css';

const tones = {
  plain: styles.plain,
  good: styles.good,
  refused: styles.refused,
  warning: styles.warning,
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
