import { type ReactNode, useId } from 'react';
import { classNames } from './class-names';
import layout from './layout.module.css';
import styles from './section.module.css';

interface Props {
  title: string;
  /** The introduction. */
  lead?: ReactNode;
  /** Buttons next to the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page with its own heading. */
export function Section({ title, lead, actions, children }: Props) {
  const id = useId();
  return (
    <section className={classNames(layout.stack3, styles.section)} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {actions}
        {lead && <p className={styles.lead}>{lead}</p>}
      </div>
      {children}
    </section>
  );
}
