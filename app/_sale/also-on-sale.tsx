import { useTranslations } from 'next-intl';
import { CouponPrice } from '../_components/coupon';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Picture, pictureOfCoupon } from '../_pictures/picture';
import type { Coupon } from '../_trpc/types';
import styles from './sale.module.css';

/**
 * Shows other flash coupons next to the featured one, in the space that the meters take once they open. Each leads to its card
 * below, so nothing is lost then.
 */
export function AlsoOnSale({ coupons }: { coupons: readonly Coupon[] }) {
  const t = useTranslations('sale');
  return (
    <nav className={styles.also} aria-label={t('also')}>
      {coupons.map((coupon) => (
        <a
          key={coupon.id}
          href={`#${coupon.id}`}
          className={classNames(layout.line3, layout.card, styles.alsoCoupon)}
        >
          <span className={styles.alsoPicture}>
            <Picture name={pictureOfCoupon(coupon)} />
          </span>
          <span className={layout.stack1}>
            <span className={layout.strong}>{coupon.title}</span>
            <CouponPrice coupon={coupon} />
          </span>
        </a>
      ))}
    </nav>
  );
}
