import styles from './order-code.module.css';

/** The code that a shopper shows at the till. */
export function OrderCode({ label, code }: { label: string; code: string }) {
  return (
    <span className={styles.line}>
      {label} <code className={styles.code}>{code}</code>
    </span>
  );
}
