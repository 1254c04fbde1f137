import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classNames } from './class-names';

const tones = {
  neutral: styles.neutral,
  accent: styles.accent,
  fail: styles.fail,
  good: styles.good,
  wait: styles.wait,
} as const;

export type BadgeTone = keyof typeof tones;

/** A short status label. Its colour only repeats its text. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={classNames(styles.badge, tones[tone])}>{children}</span>;
}
