import { getTranslations } from 'next-intl/server';
import { CouponPrice, OrderCode } from '../_components/coupon';
import { ButtonLink } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Badge, type BadgeTone } from '../_components/ui/status';
import { keepNumber } from '../_i18n/language';
import { Instant } from '../_i18n/local-time';
import { formatMoney } from '../_i18n/numbers';
import { validUntil } from '../_orders/order-state';
import { Picture, pictureOfCoupon } from '../_pictures/picture';
import type { Coupon, Order } from '../_trpc/types';
import { HoldActions, HoldCountdown } from './hold-actions';
import type { OrderGroup } from './order-groups';
import { ScanCode } from './scan-code';
import styles from './wallet.module.css';

const tones = {
  reserved: 'wait',
  held: 'wait',
  paying: 'wait',
  confirmed: 'good',
  paid: 'good',
  cancelled: 'neutral',
  expired: 'neutral',
} satisfies Record<Order['status'] | 'held' | 'paying', BadgeTone>;

const shapes = {
  due: styles.due,
  confirming: styles.pass,
  ready: styles.pass,
  past: styles.past,
} as const satisfies Record<OrderGroup, string | undefined>;

const dayFormat = { day: 'numeric', month: 'short', year: 'numeric' } as const;

const small = classNames(layout.hint, layout.figures);

interface Props {
  order: Order;
  group: OrderGroup;
  /** Absent if the coupon was deleted. */
  coupon: Coupon | undefined;
  /** The server's clock at rendering. */
  renderedAt: number;
}

/** An order as a ticket: coupon, status, code, deadline and actions. The sale page links to its id. */
export async function OrderTicket({ order, group, coupon, renderedAt }: Props) {
  const t = await getTranslations('wallet');
  const { status, holdUntil, createdAt } = order;
  const isHeld = group === 'due' && holdUntil !== undefined;
  const heldState = order.payment === 'pending' ? 'paying' : 'held';
  const state = isHeld ? heldState : status;
  const title = coupon?.title ?? t('unknownCoupon');
  // A code is only valid once the order is final.
  const code = group === 'ready' ? order.code : undefined;
  return (
    <article id={`order-${order.id}`} className={classNames(styles.ticket, shapes[group])} aria-label={title}>
      <div className={styles.picture}>{coupon && <Picture name={pictureOfCoupon(coupon)} />}</div>
      <div className={styles.words}>
        <span role="status">
          <Badge tone={tones[state]}>{t(`status.${state}`)}</Badge>
        </span>
        <h3 className={styles.title}>{title}</h3>
        {coupon && group !== 'past' && (
          <p className={small}>
            {coupon.merchant.name} · {keepNumber(coupon.merchant.address)}
          </p>
        )}
        {/* The title names the product, and a claim coupon reduces its price. */}
        {coupon && (group === 'due' || (group === 'ready' && status !== 'paid')) && (
          <CouponPrice coupon={coupon} />
        )}
      </div>
      <div className={styles.facts}>
        {isHeld && (
          <HoldCountdown since={order.confirmedAt ?? createdAt} until={holdUntil} renderedAt={renderedAt} />
        )}
        {code && (
          <div className={layout.title}>
            <OrderCode label={t('code')} code={code} stacked />
          </div>
        )}
        {coupon && state === 'paid' && (
          <p className={small}>
            {t('worth', {
              price: formatMoney(coupon.priceCents),
              value: formatMoney(coupon.faceValueCents),
            })}
          </p>
        )}
        {state !== 'paid' && state !== 'confirmed' && <p className={small}>{t(`hint.${state}`)}</p>}
        <p className={small}>
          {t(coupon?.kind === 'claim' ? 'claimed' : 'since')} <Instant at={createdAt} />
        </p>
        {group === 'ready' && (
          <p className={small}>
            {t('validUntil')} <Instant at={validUntil(order)} format={dayFormat} />
          </p>
        )}
        {group === 'past' && (
          <ButtonLink href={coupon?.state === 'live' ? `/#${coupon.id}` : '/'}>
            {t(coupon?.state === 'live' ? 'again' : 'toSale')}
          </ButtonLink>
        )}
      </div>
      <div className={classNames(layout.hiddenIfEmpty, styles.scan)}>
        {code && <ScanCode code={code} title={title} merchant={coupon?.merchant.name} />}
      </div>
      {holdUntil !== undefined && (
        <HoldActions
          order={order}
          title={title}
          priceCents={coupon?.priceCents ?? 0}
          renderedAt={renderedAt}
        />
      )}
    </article>
  );
}
