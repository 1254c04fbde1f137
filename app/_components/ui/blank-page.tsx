import type { ReactNode } from 'react';
import styles from './blank-page.module.css';
import { classNames } from './class-names';

const tones = {
  /** The page answers later, or only to others. */
  closed: styles.closed,
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
  /** Chooses the picture of a page without one of its own. */
  tone?: keyof typeof tones;
  /** Fills the top of the card. */
  picture?: ReactNode;
  /** The next action. */
  children: ReactNode;
}

/** A page without content: the reason, and the next action. */
export function BlankPage({ title, text, heading: Title = 'h1', tone, picture, children }: Props) {
  return (
    <div className={classNames(styles.page, tone && tones[tone], picture !== undefined && styles.pictured)}>
      {picture !== undefined && <div className={styles.picture}>{picture}</div>}
      <Title className={styles.title}>{title}</Title>
      <p className={styles.text}>{text}</p>
      {children}
    </div>
  );
}
