import type { ReactNode } from 'react';
import { classNames } from './class-names';
import styles from './page-head.module.css';

interface Props {
  title: string;
  lead?: ReactNode;
  /** A button next to the title. */
  action?: ReactNode;
}

/** The title and the introduction of a page. */
export function PageHead({ title, lead, action }: Props) {
  return (
    <div className={classNames(styles.head, Boolean(action) && styles.withAction)}>
      <h1 className={styles.title}>{title}</h1>
      {lead && <p className={styles.lead}>{lead}</p>}
      {action}
    </div>
  );
}
