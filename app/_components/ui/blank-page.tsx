import type { ReactNode } from 'react';
import { classNames } from './class-names';
import styles from './frames.module.css';
import layout from './layout.module.css';

const blankTones = {
  /** The page answers later, or only to others. */
  closed: undefined,
  /** The address leads nowhere. */
  lost: styles.lost,
  /** A dependency is unavailable. */
  unavailable: styles.unavailable,
  /** An error of the page itself. */
  broken: styles.broken,
} as const;

interface BlankPageProps {
  title: string;
  text: string;
  /** Default: `h1`. Use `h2` below a page title. */
  heading?: 'h1' | 'h2';
  /** Chooses the picture of a page without one of its own. */
  tone?: keyof typeof blankTones;
  /** Fills the top of the card. */
  picture?: ReactNode;
  /** The next action. */
  children: ReactNode;
}

/** A page without content: the reason, and the next action. */
export function BlankPage({ title, text, heading: Title = 'h1', tone, picture, children }: BlankPageProps) {
  return (
    <div
      className={classNames(
        layout.card,
        styles.blank,
        tone && classNames(styles.drawn, blankTones[tone]),
        picture !== undefined && styles.pictured,
      )}
    >
      {picture !== undefined && <div className={styles.picture}>{picture}</div>}
      <Title className={styles.blankTitle}>{title}</Title>
      <p className={styles.blankText}>{text}</p>
      {children}
    </div>
  );
}
