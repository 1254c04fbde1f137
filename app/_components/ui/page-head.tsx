import styles from './page-head.module.css';

/** What a page is, and what one should know of it. */
export function PageHead({ title, lead }: { title: string; lead?: string }) {
  return (
    <div className={styles.head}>
      <h1 className={styles.title}>{title}</h1>
      {lead && <p className={styles.lead}>{lead}</p>}
    </div>
  );
}
