import type { ReactNode } from 'react';
import { classNames } from './class-names';
import styles from './notice.module.css';

const tones = {
  plain: styles.plain,
  good: styles.good,
  refused: styles.refused,
  warning: styles.warning,
} as const;

export type NoticeTone = keyof typeof tones;

interface Props {
  tone?: NoticeTone;
  icon?: ReactNode;
  children: ReactNode;
}

/** What became of something, said where it was asked. */
export function Notice({ tone = 'plain', icon, children }: Props) {
  return (
    <div className={classNames(styles.notice, tones[tone])}>
      {icon && (
        <span className={styles.icon} aria-hidden="true">
          {icon}
        </span>
      )}
      <div className={styles.body}>{children}</div>
    </div>
  );
}
