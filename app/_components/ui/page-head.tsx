import type { ReactNode } from 'react';
import styles from './page-head.module.css';

/** The title and the introduction of a page. */
export function PageHead({ title, lead }: { title: string; lead?: ReactNode }) {
  return (
    <div className={styles.head}>
      <h1 className={styles.title}>{title}</h1>
      {lead && <p className={styles.lead}>{lead}</p>}
    </div>
  );
}
