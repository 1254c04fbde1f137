import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { Picture } from '../_pictures/picture';
import { pictureOfCoupon } from '../_pictures/picture-for';
import type { Coupon } from '../_trpc/types';
import styles from './coupon-card.module.css';
import { CouponPrice } from './coupon-price';
import { CouponReminder } from './coupon-reminder';
import { couponTones } from './coupon-tones';
import { classNames } from './ui/class-names';
import { keepNumber } from './ui/keep-number';
import { Badge } from './ui/status';

export type CouponShape =
  /** The featured coupon. */
  | 'featured'
  /** One of several cards in a grid. */
  | 'card'
  /** One row of a list. */
  | 'row';

interface Props {
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
export function CouponCard({ coupon, state, isOwn = false, stock, shape, action, note }: Props) {
  const t = useTranslations('coupon');
  const titleId = useId();
  const isOver = !isOwn && (state === 'sold-out' || state === 'ended');
  const Title = shape === 'featured' ? 'h2' : 'h3';
  const { name, category, address } = coupon.merchant;

  return (
    <article
      id={coupon.id}
      className={classNames(styles.coupon, styles[shape], isOver && styles.over)}
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
          <p className={styles.merchant}>
            <Link prefetch={false} href={`/merchants/${encodeURIComponent(coupon.merchantId)}`}>
              {name}
            </Link>
            <span>
              {category} · {keepNumber(address)}
            </span>
          </p>
          <div className={styles.price}>
            <CouponPrice coupon={coupon} />
          </div>
        </div>
        {stock && shape !== 'row' && <div className={styles.stock}>{stock}</div>}
        <div className={styles.action} data-bar={shape === 'featured' ? state !== 'ended' : undefined}>
          {shape === 'featured' && <CouponReminder coupon={coupon} />}
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
