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
