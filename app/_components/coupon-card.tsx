import Link from 'next/link';
import { useLocale, useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { formatMoney } from '../_i18n/money';
import type { Coupon } from '../_trpc/types';
import styles from './coupon-card.module.css';
import { couponTones } from './coupon-tones';
import { StockBar } from './stock-bar';
import { Badge } from './ui/badge';
import { classNames } from './ui/class-names';

const shapes = {
  /** The one at the gate. */
  featured: styles.featured,
  /** One of several that compete for the eye. */
  card: styles.card,
  /** One of many, in a list. */
  row: styles.row,
} as const;

export type CouponShape = keyof typeof shapes;

interface Props {
  coupon: Pick<Coupon, 'merchantId' | 'kind' | 'title' | 'priceCents' | 'faceValueCents'>;
  state: Coupon['state'];
  stock: { total: number; remaining: number } | null;
  shape: CouponShape;
  /** What comes after it, where that is known. */
  sequel: ReactNode;
  /** What to do with it; gets the id of the title, which belongs to the button's name. */
  action: (titleId: string) => ReactNode;
  /** What became of the last click, or what to expect of the next. */
  note: ReactNode;
}

/** A coupon: what it is, what it costs, how many are left, and the one thing to do with it. */
export function CouponCard({ coupon, state, stock, shape, sequel, action, note }: Props) {
  const t = useTranslations('coupon');
  const language = useLocale();
  const titleId = useId();
  const isOver = state === 'sold-out' || state === 'ended';
  const price = coupon.priceCents === 0 ? t('free') : formatMoney(coupon.priceCents, language);
  const value = formatMoney(coupon.faceValueCents, language);
  const Title = shape === 'featured' ? 'h2' : 'h3';

  return (
    <article
      className={classNames(styles.coupon, shapes[shape], isOver && styles.over)}
      aria-labelledby={titleId}
    >
      <div className={styles.what}>
        {/* In a list the button's own words are near enough. */}
        {shape !== 'row' && <Badge tone={couponTones[state]}>{t(`state.${state}`)}</Badge>}
        <Title id={titleId} className={styles.title}>
          {coupon.title}
        </Title>
        <p className={styles.money}>
          <strong className={styles.price}>{coupon.kind === 'claim' ? value : price}</strong>{' '}
          <span className={styles.worth}>{coupon.kind === 'claim' ? price : t('worth', { value })}</span>
        </p>
        <Link
          className={styles.merchant}
          href={`/merchants/${encodeURIComponent(coupon.merchantId)}`}
          aria-describedby={titleId}
        >
          {t('merchant')}
        </Link>
        {stock && shape !== 'row' && (
          <div className={styles.stock}>
            <StockBar total={stock.total} remaining={stock.remaining} sequel={sequel} />
          </div>
        )}
      </div>
      <div className={styles.note} role="status">
        {note}
      </div>
      <div className={styles.action}>
        {shape === 'featured' && (
          <p className={styles.reminder} aria-hidden="true">
            <span className={styles.reminderTitle}>{coupon.title}</span>
            <strong>{price}</strong>
          </p>
        )}
        <div className={styles.buttons}>{action(titleId)}</div>
      </div>
    </article>
  );
}
