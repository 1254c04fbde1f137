import { useTranslations } from 'next-intl';
import { type RefCallback, useId } from 'react';
import { ButtonLink } from '../_components/ui/button';
import { formatMoney } from '../_i18n/numbers';
import { useIsStateUnknown, useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { ownershipOf } from '../_orders/order-state';
import type { Coupon, Order } from '../_trpc/types';

interface Props {
  order: Order;
  coupon: Pick<Coupon, 'priceCents'>;
  /** The server's clock when the coupons were read. */
  serverNow: number;
  /** The id of the coupon's title, which completes the link's name. */
  titleId: string;
  large: boolean;
  ref: RefCallback<HTMLElement>;
}

/** The main action of a coupon that the viewer has: pay it, or see it in the wallet. */
export function OwnedAction({ order, coupon, serverNow, titleId, large, ref }: Props) {
  const t = useTranslations('coupon');
  const id = useId();
  const secondsToPay = useCountdown({
    clock: useServerClock(),
    until: order.holdUntil,
    initial: serverNow,
  });
  const isPaused = useIsStateUnknown();
  const isHeld = ownershipOf(order) === 'held';
  const isOver = isHeld && secondsToPay === 0;
  // A payment is a limited call, which needs the store.
  const canPay = isHeld && !isOver && !isPaused;
  return (
    <ButtonLink
      ref={ref}
      id={id}
      aria-labelledby={`${id} ${titleId}`}
      href={`/wallet#order-${order.id}`}
      variant={canPay ? 'primary' : 'secondary'}
      size={large ? 'large' : 'medium'}
      wide
    >
      {canPay ? t('pay', { price: formatMoney(coupon.priceCents) }) : t(isOver ? 'toWallet' : 'inWallet')}
    </ButtonLink>
  );
}
