import { type ReactNode, useId } from 'react';
import { classNames } from './class-names';
import styles from './frames.module.css';
import layout from './layout.module.css';

interface PageHeadProps {
  title: string;
  lead?: ReactNode;
  /** A button next to the title. */
  action?: ReactNode;
}

/** The title and the introduction of a page. */
export function PageHead({ title, lead, action }: PageHeadProps) {
  return (
    <div className={classNames(styles.pageHead, Boolean(action) && styles.withAction)}>
      <h1 className={styles.pageTitle}>{title}</h1>
      {lead && <p className={styles.lead}>{lead}</p>}
      {action}
    </div>
  );
}

interface SectionProps {
  title: string;
  /** The introduction. */
  lead?: ReactNode;
  /** Buttons next to the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page with its own heading. */
export function Section({ title, lead, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classNames(layout.stack3, styles.section)} aria-labelledby={id}>
      <div className={styles.sectionHead}>
        <h2 id={id} className={styles.sectionTitle}>
          {title}
        </h2>
        {actions}
        {lead && <p className={classNames(layout.hint, styles.sectionLead)}>{lead}</p>}
      </div>
      {children}
    </section>
  );
}

/** A framed area of a page. */
export function Panel({ children }: { children: ReactNode }) {
  return <div className={classNames(layout.card, styles.panel)}>{children}</div>;
}

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
