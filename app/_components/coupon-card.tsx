import { useLocale, useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { formatMoney } from '../_i18n/money';
import type { Coupon } from '../_trpc/types';
import styles from './coupon-card.module.css';
import { couponTones } from './coupon-tones';
import { StockBar } from './stock-bar';
import { Badge } from './ui/badge';
import { classNames } from './ui/class-names';
import { Link } from './ui/link';

const shapes = {
  /** The featured coupon. */
  featured: styles.featured,
  /** One of several cards in a grid. */
  card: styles.card,
  /** One row of a list. */
  row: styles.row,
} as const;

export type CouponShape = keyof typeof shapes;

interface Props {
  coupon: Pick<Coupon, 'merchantId' | 'kind' | 'title' | 'priceCents' | 'faceValueCents'>;
  state: Coupon['state'];
  stock: { total: number; remaining: number } | null;
  shape: CouponShape;
  /** The button. Gets the id of the title, which is part of the button's accessible name. */
  action: (titleId: string) => ReactNode;
  /** The result of the last click, or a hint before the first. */
  note: ReactNode;
}

/** Draws a coupon: title, price, stock, and its button. */
export function CouponCard({ coupon, state, stock, shape, action, note }: Props) {
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
      <div className={styles.details}>
        {/* In a list, the button's text already states it. */}
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
            <StockBar total={stock.total} remaining={stock.remaining} />
          </div>
        )}
      </div>
      <div className={styles.note} role="status">
        {note}
      </div>
      <div className={styles.action} data-bar={shape === 'featured' || undefined}>
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
