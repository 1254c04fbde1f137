import styles from './masked-subject.module.css';

/** Shows a masked subject. */
export function MaskedSubject({ subject }: { subject: string }) {
  return <code className={styles.subject}>{subject}</code>;
}
