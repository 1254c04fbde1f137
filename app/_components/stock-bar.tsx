import { useTranslations } from 'next-intl';
import { useId } from 'react';
import styles from './stock-bar.module.css';
import { Meter } from './ui/meter';

/** How many are left, as a bar and in words. */
export function StockBar({ total, remaining }: { total: number; remaining: number }) {
  const t = useTranslations('coupon');
  const id = useId();
  const text = t('left', { remaining, total });
  return (
    <div className={styles.stock}>
      <span id={id} className={styles.words}>
        {text}
      </span>
      <Meter value={remaining} max={total} labelledBy={id} text={text} tone="ember" />
    </div>
  );
}
