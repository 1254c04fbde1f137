import styles from './order-code.module.css';
import { classNames } from './ui/class-names';

interface Props {
  label: string;
  code: string;
  /** The label stands above the code. Default: before it. */
  stacked?: boolean;
}

/** The code that a shopper shows at the till. */
export function OrderCode({ label, code, stacked }: Props) {
  return (
    <span className={styles.line}>
      <span className={classNames(stacked && styles.above)}>{label}</span>{' '}
      <code className={styles.code}>{code}</code>
    </span>
  );
}
