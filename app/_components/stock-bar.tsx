import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import styles from './stock-bar.module.css';
import { Meter } from './ui/meter';

interface Props {
  total: number;
  remaining: number;
  /** Shown when the last coupon is gone. */
  sequel: ReactNode;
}

/** Shows the remaining stock as a bar and as text. */
export function StockBar({ total, remaining, sequel }: Props) {
  const t = useTranslations('coupon');
  const id = useId();
  const text = t('left', { remaining, total });
  return (
    <div className={styles.stock}>
      <p className={styles.words}>
        <span id={id} className={styles.left}>
          {text}
        </span>
        <span className={styles.sequel}>{sequel}</span>
      </p>
      <Meter value={remaining} max={total} labelledBy={id} text={text} tone="ember" />
    </div>
  );
}
