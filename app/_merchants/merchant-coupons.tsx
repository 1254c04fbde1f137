import { useLocale, useTranslations } from 'next-intl';
import { couponTones } from '../_components/coupon-tones';
import { Badge } from '../_components/ui/badge';
import { formatMoney } from '../_i18n/money';
import type { Coupon } from '../_trpc/types';
import styles from './merchant-coupons.module.css';

/** Lists the coupons of a merchant. They are bought on the sale page, next to their window. */
export function MerchantCoupons({ coupons }: { coupons: Coupon[] }) {
  const t = useTranslations('merchants');
  const tCoupon = useTranslations('coupon');
  const language = useLocale();
  if (coupons.length === 0) return <p className={styles.none}>{t('noCoupons')}</p>;
  return (
    <ul>
      {openFirst(coupons).map(({ id, kind, title, state, priceCents, faceValueCents }) => {
        const price = priceCents === 0 ? tCoupon('free') : formatMoney(priceCents, language);
        const value = formatMoney(faceValueCents, language);
        return (
          <li key={id} className={styles.coupon}>
            <span className={styles.money}>
              <strong className={styles.price}>{kind === 'claim' ? value : price}</strong>{' '}
              <span className={styles.worth}>{kind === 'claim' ? price : tCoupon('worth', { value })}</span>
            </span>
            <span className={styles.title}>{title}</span>
            {(kind === 'seckill' || state !== 'live') && (
              <Badge tone={couponTones[state]}>{tCoupon(`state.${state}`)}</Badge>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Sorts open coupons first. */
function openFirst(coupons: Coupon[]): Coupon[] {
  const isOver = ({ state }: Coupon) => Number(state === 'sold-out' || state === 'ended');
  return coupons.toSorted((a, b) => isOver(a) - isOver(b));
}
