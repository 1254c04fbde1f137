import type { ReactNode } from 'react';
import { classNames } from './class-names';
import styles from './stat.module.css';

const states = {
  /** Neutral. */
  plain: undefined,
  good: styles.good,
  wait: styles.wait,
  bad: styles.bad,
} as const;

interface Props {
  label: string;
  /** The value with its unit. `undefined` while loading. */
  value: ReactNode;
  /** A small line below. */
  detail?: ReactNode;
  /** An icon and a colour that repeat the value. Default: `plain`. */
  state?: keyof typeof states;
}

/** A number or status with its name, for a `dl`. Its height is constant. */
export function Stat({ label, value, detail, state = 'plain' }: Props) {
  return (
    <div className={classNames(styles.stat, states[state])}>
      <dt className={styles.label}>{label}</dt>
      <dd className={styles.value}>{value ?? '–'}</dd>
      <dd className={styles.detail}>{detail}</dd>
    </div>
  );
}
