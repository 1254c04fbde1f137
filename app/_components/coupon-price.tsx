import { useTranslations } from 'next-intl';
import { formatMoney } from '../_i18n/numbers';
import type { Coupon } from '../_trpc/types';
import styles from './coupon-price.module.css';

/**
 * Shows the price of a coupon, large, and its value: "€9.90 instead of €50", "Free instead of €12.50". A claim coupon
 * without a price reduces another price by its value: "€6.80 off".
 */
export function CouponPrice({
  coupon: { kind, priceCents, faceValueCents },
}: {
  coupon: Pick<Coupon, 'kind' | 'priceCents' | 'faceValueCents'>;
}) {
  const t = useTranslations('coupon');
  const value = formatMoney(faceValueCents);
  const isReduction = kind === 'claim' && priceCents === 0;
  return (
    <p className={styles.money}>
      <strong className={styles.price}>
        {isReduction ? t('off', { value }) : priceCents > 0 ? formatMoney(priceCents) : t('free')}
      </strong>{' '}
      {!isReduction && <span className={styles.saving}>{t('insteadOf', { value })}</span>}
    </p>
  );
}
