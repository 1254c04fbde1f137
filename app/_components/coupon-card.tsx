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

interface Props {
  coupon: Pick<Coupon, 'merchantId' | 'kind' | 'title' | 'priceCents' | 'faceValueCents'>;
  state: Coupon['state'];
  stock: { total: number; remaining: number } | null;
  /** The one at the gate, drawn larger. */
  featured?: boolean;
  /** The button; gets the id of the title, which belongs to its name. */
  action: (titleId: string) => ReactNode;
  /** What became of the last click, or what to expect of the next. */
  note: ReactNode;
}

/** A coupon: what it is, what it costs, how many are left, and the one thing to do with it. */
export function CouponCard({ coupon, state, stock, featured, action, note }: Props) {
  const t = useTranslations('coupon');
  const language = useLocale();
  const titleId = useId();
  const isClaimable = coupon.kind === 'claim' && state === 'live';
  const isOver = state === 'sold-out' || state === 'ended';

  return (
    <article
      className={classNames(styles.card, featured && styles.featured, isOver && styles.over)}
      aria-labelledby={titleId}
    >
      <div className={styles.head}>
        <Badge tone={isClaimable ? 'water' : couponTones[state]}>
          {isClaimable ? t('claimable') : t(`state.${state}`)}
        </Badge>
        <Link className={styles.merchant} href={`/merchants/${encodeURIComponent(coupon.merchantId)}`}>
          {t('merchant')}
        </Link>
      </div>
      <h3 id={titleId} className={styles.title}>
        {coupon.title}
      </h3>
      <p className={styles.money}>
        <strong className={styles.price}>
          {coupon.priceCents === 0 ? t('free') : formatMoney(coupon.priceCents, language)}
        </strong>
        <span className={styles.worth}>
          {t('worth', { value: formatMoney(coupon.faceValueCents, language) })}
        </span>
      </p>
      {stock && <StockBar total={stock.total} remaining={stock.remaining} />}
      <div className={styles.action}>{action(titleId)}</div>
      <div className={styles.note} role="status">
        {note}
      </div>
    </article>
  );
}
