import styles from './masked-subject.module.css';

/** Somebody as far as an operator may know them. */
export function MaskedSubject({ subject }: { subject: string }) {
  return <code className={styles.subject}>{subject}</code>;
}
