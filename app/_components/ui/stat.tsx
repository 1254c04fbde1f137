import type { ReactNode } from 'react';
import { classNames } from './class-names';
import styles from './stat.module.css';

const states = {
  /** Nothing to say about it. */
  plain: undefined,
  good: styles.good,
  bad: styles.bad,
} as const;

interface Props {
  label: string;
  /** With its unit. `undefined` while it is on its way. */
  value: ReactNode;
  /** What belongs to it, in small. */
  detail?: ReactNode;
  /** Repeats by a picture and a colour what the value says. Default: `plain`. */
  state?: keyof typeof states;
}

/** One number or word of state with its name, for a `dl`. Of one height, whatever it says. */
export function Stat({ label, value, detail, state = 'plain' }: Props) {
  return (
    <div className={classNames(styles.stat, states[state])}>
      <dt className={styles.label}>{label}</dt>
      <dd className={styles.value}>{value ?? '–'}</dd>
      <dd className={styles.detail}>{detail}</dd>
    </div>
  );
}
