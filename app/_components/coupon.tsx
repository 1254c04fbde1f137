import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { keepNumber } from '../_i18n/language';
import { formatCount, formatMoney } from '../_i18n/numbers';
import { Picture, pictureOfCoupon } from '../_pictures/picture';
import type { Coupon } from '../_trpc/types';
import styles from './coupon.module.css';
import { classNames } from './ui/class-names';
import layout from './ui/layout.module.css';
import { Meter } from './ui/meter';
import { Badge, type BadgeTone } from './ui/status';

/** The badge colour of each coupon state. */
export const couponTones = {
  upcoming: 'next',
  live: 'accent',
  paused: 'wait',
  'sold-out': 'neutral',
  ended: 'neutral',
} satisfies Record<Coupon['state'], BadgeTone>;

export type CouponShape =
  /** The featured coupon. */
  | 'featured'
  /** One of several cards in a grid. */
  | 'card'
  /** One row of a list. */
  | 'row';

interface CardProps {
  coupon: Pick<Coupon, 'id' | 'merchantId' | 'merchant' | 'kind' | 'title' | 'priceCents' | 'faceValueCents'>;
  state: Coupon['state'];
  /** The viewer has it, so it is not dimmed when it is over, and its note states more than a label. Default: false. */
  isOwn?: boolean;
  /** The remaining stock; not shown in a row. */
  stock: ReactNode;
  shape: CouponShape;
  /** The button. Gets the id of the title, which is part of the button's accessible name. */
  action: (titleId: string) => ReactNode;
  /** The result of the last click, or a hint before the first. */
  note: ReactNode;
}

/** Draws a coupon as a ticket: picture, title, merchant, price, stock, time left, and its button. */
export function CouponCard({ coupon, state, isOwn = false, stock, shape, action, note }: CardProps) {
  const t = useTranslations('coupon');
  const titleId = useId();
  const isOver = !isOwn && (state === 'sold-out' || state === 'ended');
  const Title = shape === 'featured' ? 'h2' : 'h3';
  const { name, category, address } = coupon.merchant;

  return (
    <article
      id={coupon.id}
      className={classNames(layout.card, styles.coupon, styles[shape], isOver && styles.over)}
      aria-labelledby={titleId}
    >
      <div className={styles.picture}>
        <Picture name={pictureOfCoupon(coupon)} />
      </div>
      {/* The button's text already states a pause, and in a list each state. */}
      {shape !== 'row' && (
        <div className={styles.state}>
          {state !== 'paused' && !isOwn && <Badge tone={couponTones[state]}>{t(`state.${state}`)}</Badge>}
        </div>
      )}
      <div className={styles.main}>
        <div className={styles.details}>
          <Title id={titleId} className={styles.title}>
            {coupon.title}
          </Title>
          <p className={classNames(layout.hint, styles.merchant)}>
            <Link prefetch={false} href={`/merchants/${encodeURIComponent(coupon.merchantId)}`}>
              {name}
            </Link>
            <span>
              {category} · {keepNumber(address)}
            </span>
          </p>
          <div className={styles.priceArea}>
            <CouponPrice coupon={coupon} />
          </div>
        </div>
        {stock && shape !== 'row' && <div className={styles.stock}>{stock}</div>}
        <div className={styles.action} data-bar={shape === 'featured' ? state !== 'ended' : 'other'}>
          {/* Next to the button, which stays at the bottom of a phone while the rest scrolls away. */}
          {shape === 'featured' && (
            <p className={styles.reminder} aria-hidden="true">
              <span>{coupon.title}</span>
              <strong>{coupon.priceCents === 0 ? t('free') : formatMoney(coupon.priceCents)}</strong>
            </p>
          )}
          <div className={styles.buttons}>{action(titleId)}</div>
        </div>
      </div>
      {/* Below the button, so that a long result does not move it. */}
      <div className={styles.note} role="status">
        {note}
      </div>
    </article>
  );
}

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
    <p className={layout.words2}>
      <strong className={styles.price}>
        {isReduction ? t('off', { value }) : priceCents > 0 ? formatMoney(priceCents) : t('free')}
      </strong>{' '}
      {!isReduction && <span className={layout.hint}>{t('insteadOf', { value })}</span>}
    </p>
  );
}

interface StockProps {
  total: number;
  remaining: number;
  /** The time until the end or the next round, if known. */
  time?: ReactNode;
}

/** Shows the remaining stock as a bar and as text. */
export function StockBar({ total, remaining, time }: StockProps) {
  const t = useTranslations('coupon');
  const id = useId();
  const text = t('left', { remaining: formatCount(remaining), total: formatCount(total) });
  return (
    <div className={classNames(layout.stack1, styles.stockBar)}>
      <p className={classNames(layout.words3, layout.apart, layout.hint, layout.figures, styles.stockWords)}>
        <span id={id} className={styles.remaining}>
          {text}
        </span>
        <span>{time}</span>
      </p>
      <Meter value={remaining} max={total} labelledBy={id} text={text} />
    </div>
  );
}

interface CodeProps {
  label: string;
  code: string;
  /** The label stands above the code. Default: before it. */
  stacked?: boolean;
}

/** The code that a shopper shows at the till. */
export function OrderCode({ label, code, stacked }: CodeProps) {
  return (
    <span className={styles.block}>
      <span className={classNames(stacked && layout.hint, stacked && styles.block)}>{label}</span>{' '}
      <code className={styles.code}>{code}</code>
    </span>
  );
}
