import { useTranslations } from 'next-intl';
import { formatMoney } from '../_i18n/numbers';
import type { Coupon } from '../_trpc/types';
import styles from './coupon-reminder.module.css';

interface Props {
  coupon: Pick<Coupon, 'title' | 'priceCents'>;
}

/** Repeats title and price next to the button, which stays at the bottom of a phone while the rest scrolls away. */
export function CouponReminder({ coupon: { title, priceCents } }: Props) {
  const t = useTranslations('coupon');
  return (
    <p className={styles.reminder} aria-hidden="true">
      <span className={styles.title}>{title}</span>
      <strong>{priceCents === 0 ? t('free') : formatMoney(priceCents)}</strong>
    </p>
  );
}
