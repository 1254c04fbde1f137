import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classNames } from './class-names';

export type BadgeTone = 'neutral' | 'accent' | 'next' | 'fail' | 'good' | 'wait';

interface Props {
  tone?: BadgeTone;
  /** Replaces a button, and takes its focus. Default: false. */
  isResult?: boolean;
  children: ReactNode;
}

/** A short status label. Its colour only repeats its text. */
export function Badge({ tone = 'neutral', isResult = false, children }: Props) {
  return (
    <span className={classNames(styles.badge, styles[tone])} {...(isResult && { 'data-focus-next': '' })}>
      {children}
    </span>
  );
}
