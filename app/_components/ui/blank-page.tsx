import type { ReactNode } from 'react';
import styles from './blank-page.module.css';
import { classNames } from './class-names';

const tones = {
  plain: undefined,
  /** The address leads nowhere. */
  lost: styles.lost,
  /** A dependency is unavailable. */
  unavailable: styles.unavailable,
  /** An error of the page itself. */
  broken: styles.broken,
} as const;

interface Props {
  title: string;
  text: string;
  /** Default: `h1`. Use `h2` below a page title. */
  heading?: 'h1' | 'h2';
  /** Default: `plain`. */
  tone?: keyof typeof tones;
  /** Fills the top of the card. Default: the picture of the tone, if any. */
  picture?: ReactNode;
  /** The next action. */
  children: ReactNode;
}

/** A page without content: the reason, and the next action. */
export function BlankPage({ title, text, heading: Title = 'h1', tone = 'plain', picture, children }: Props) {
  return (
    <div className={classNames(styles.page, tones[tone], picture !== undefined && styles.pictured)}>
      {picture !== undefined && <div className={styles.picture}>{picture}</div>}
      <Title className={styles.title}>{title}</Title>
      <p className={styles.text}>{text}</p>
      {children}
    </div>
  );
}
