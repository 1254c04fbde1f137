import type { ReactNode } from 'react';
import { classNames } from './class-names';
import layout from './layout.module.css';
import styles from './status.module.css';

const badgeTones = {
  neutral: layout.muteFill,
  accent: layout.accentFill,
  /** Not live yet. */
  next: styles.outlined,
  fail: layout.failFill,
  good: layout.goodFill,
  wait: layout.waitFill,
} as const;

export type BadgeTone = keyof typeof badgeTones;

interface BadgeProps {
  tone?: BadgeTone;
  /** Replaces a button, and takes its focus. Default: false. */
  isResult?: boolean;
  children: ReactNode;
}

/** A short status label. Its colour only repeats its text. */
export function Badge({ tone = 'neutral', isResult = false, children }: BadgeProps) {
  return (
    <span className={classNames(styles.badge, badgeTones[tone])} {...(isResult && { 'data-focus-next': '' })}>
      {children}
    </span>
  );
}

const noticeTones = {
  plain: styles.bare,
  good: classNames(layout.goodFill, styles.icon, styles.check),
  /** Refused for a time. */
  refused: classNames(layout.waitFill, styles.icon, styles.stop),
  failed: classNames(layout.failFill, styles.icon, styles.stop),
  warning: layout.waitFill,
  /** Upcoming. */
  waiting: classNames(layout.accentFill, styles.icon, styles.hourglass),
  /** Paused; it resumes by itself. */
  paused: classNames(layout.waitFill, styles.dashed, styles.icon, styles.pause),
  /** Finished. */
  over: classNames(styles.bare, styles.icon, styles.flag),
  /** A dependency is unavailable. */
  unavailable: classNames(layout.waitFill, styles.framed, styles.icon, styles.unplugged),
} as const;

/** A message about a result, shown next to its cause. */
export function Notice({
  tone = 'plain',
  children,
}: {
  tone?: keyof typeof noticeTones;
  children: ReactNode;
}) {
  return (
    <div className={classNames(styles.notice, noticeTones[tone])}>
      <div className={styles.message}>{children}</div>
    </div>
  );
}

const statStates = {
  /** Neutral. */
  plain: undefined,
  good: classNames(styles.icon, styles.check, styles.good),
  wait: classNames(styles.icon, styles.stop, styles.wait),
  bad: classNames(styles.icon, styles.unplugged, styles.bad),
} as const;

interface StatProps {
  label: string;
  /** The value with its unit. `undefined` while loading. */
  value: ReactNode;
  /** A small line below. */
  detail?: ReactNode;
  /** An icon and a colour that repeat the value. Default: `plain`. */
  state?: keyof typeof statStates;
}

/** A number or status with its name, for a `dl`. Its height is constant. */
export function Stat({ label, value, detail, state = 'plain' }: StatProps) {
  return (
    <div className={styles.stat}>
      <dt className={classNames(layout.hint, styles.label)}>{label}</dt>
      <dd className={classNames(styles.value, statStates[state])}>{value ?? '–'}</dd>
      <dd className={layout.hint}>{detail}</dd>
    </div>
  );
}

/** A placeholder in the final size of loading content. */
export function Skeleton({ shape }: { shape: 'line' | 'row' | 'strip' | 'panel' }) {
  return <span aria-hidden="true" className={classNames(styles.skeleton, styles[shape])} />;
}
