import type { ReactNode } from 'react';
import styles from './blank-page.module.css';
import { classNames } from './class-names';

const tones = {
  plain: undefined,
  /** Something that is needed is out of reach. */
  cut: styles.cut,
} as const;

interface Props {
  title: string;
  text: string;
  /** Default: `h1`; below the title of a page that has one, `h2`. */
  heading?: 'h1' | 'h2';
  /** Default: `plain`. */
  tone?: keyof typeof tones;
  /** The way on. */
  children: ReactNode;
}

/** A page that has nothing to show: why, and the way on. */
export function BlankPage({ title, text, heading: Title = 'h1', tone = 'plain', children }: Props) {
  return (
    <div className={classNames(styles.page, tones[tone])}>
      <Title className={styles.title}>{title}</Title>
      <p className={styles.text}>{text}</p>
      {children}
    </div>
  );
}
