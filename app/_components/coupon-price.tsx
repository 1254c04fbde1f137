import { useLocale, useTranslations } from 'next-intl';
import { formatMoney } from '../_i18n/money';
import type { Coupon } from '../_trpc/types';
import styles from './coupon-price.module.css';

/**
 * Shows the price of a coupon, large, and the saving: "€9.90 instead of €50", "Free instead of €12.50", "Free €6.80 off".
 * The large text is what the shopper pays, on every coupon.
 */
export function CouponPrice({
  coupon: { kind, priceCents, faceValueCents },
}: {
  coupon: Pick<Coupon, 'kind' | 'priceCents' | 'faceValueCents'>;
}) {
  const t = useTranslations('coupon');
  const language = useLocale();
  const value = formatMoney(faceValueCents, language);
  const isReduction = kind === 'claim' && priceCents === 0;
  return (
    <p className={styles.money}>
      <strong className={styles.price}>
        {priceCents === 0 ? t('free') : formatMoney(priceCents, language)}
      </strong>{' '}
      <span className={styles.saving}>{isReduction ? t('off', { value }) : t('insteadOf', { value })}</span>
    </p>
  );
}
