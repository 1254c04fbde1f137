import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { formatCount } from '../_i18n/numbers';
import styles from './stock-bar.module.css';
import { Meter } from './ui/bars';

interface Props {
  total: number;
  remaining: number;
  /** The time until the end or the next round, if known. */
  time?: ReactNode;
}

/** Shows the remaining stock as a bar and as text. */
export function StockBar({ total, remaining, time }: Props) {
  const t = useTranslations('coupon');
  const id = useId();
  const text = t('left', { remaining: formatCount(remaining), total: formatCount(total) });
  return (
    <div className={styles.stock}>
      <p className={styles.words}>
        <span id={id} className={styles.remaining}>
          {text}
        </span>
        <span>{time}</span>
      </p>
      <Meter value={remaining} max={total} labelledBy={id} text={text} />
    </div>
  );
}
