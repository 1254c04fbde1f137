import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classNames } from './class-names';

export type BadgeTone = 'neutral' | 'accent' | 'fail' | 'good' | 'wait';

/** A short status label. Its colour only repeats its text. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={classNames(styles.badge, styles[tone])}>{children}</span>;
}
