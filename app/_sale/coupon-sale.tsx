'use client';

import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { Activity, memo, type ReactNode, type RefCallback, useState } from 'react';
import { CouponCard, type CouponShape, StockBar } from '../_components/coupon';
import { PurchaseButton } from '../_components/purchase-button';
import { useDurations } from '../_i18n/use-durations';
import { type Clock, stopwatch } from '../_live/clock';
import { useHasLiveStock, useIsBlocked, useIsStale, useLiveStock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { QueueAction } from '../_queue/queue-action';
import type { Coupon, Order, Ticket } from '../_trpc/types';
import { PhonePace } from '../_window/pace-bars';
import { meterId, type PolicyRefusal } from '../_window/refusals';
import { useCouponState } from './coupon-state';
import { OwnedAction } from './owned-coupon';
import { usePurchase } from './use-purchase';

/** The server renders its hints; what it says after a press comes later. */
const CouponNote = dynamic(async () => (await import('./coupon-note')).CouponNote, { loading: () => null });
/** The id of the line that explains the closed buttons of all coupons to claim. */
export const CLAIMS_WAIT_ID = 'claims-wait';

/** A refusal and its offer of the queue stay this long, to be read, also if the window has room earlier. */
const OFFER_MS = 8_000;

interface Props {
  coupon: Coupon;
  /** The viewer's newest order of it that has not ended. */
  order: Order | undefined;
  /** The viewer's ticket for it that waits, or that has ended on this page. */
  ticket: Ticket | undefined;
  /** The last refusal by a limit of the coupon's policy; it may have ended. */
  refusal: PolicyRefusal | undefined;
  /** The server's clock when the list was made. */
  serverNow: number;
  shape: CouponShape;
}

/**
 * Shows a coupon with live stock, countdown and button. The featured coupon becomes interactive with the page; the others
 * after it, or when they are touched.
 */
export const CouponSale = memo(function CouponSale(props: Props) {
  const sale = <Sale {...props} />;
  if (props.shape === 'featured') return sale;
  return (
    <Activity>
      <div>{sale}</div>
    </Activity>
  );
});

function Sale(props: Props) {
  const { coupon, order, ticket, refusal, serverNow, shape } = props;
  const { state, clock } = useCouponState(coupon, { serverNow, hasStock: useHasLiveStock(coupon) });
  const isStale = useIsStale();
  const purchase = usePurchase(coupon, isStale || state === 'paused');
  const large = shape === 'featured';
  const opensInSeconds = useCountdown({ clock, until: coupon.startsAt, initial: serverNow });
  const retryInSeconds = useCountdown({ clock: stopwatch, until: refusal?.retryAt });
  const isFeedBlocked = useIsBlocked(`coupon.${coupon.kind}`);
  const isBlocked = isFeedBlocked || (refusal?.isBlocked === true && retryInSeconds > 0);
  const isShared = refusal?.level === 'global';
  const offerSeconds = useCountdown({ clock, until: refusal && refusal.refusedAt + OFFER_MS });
  const isFull = retryInSeconds > 0;
  const isOffered =
    isShared &&
    state === 'live' &&
    !isBlocked &&
    (isFull || (offerSeconds > 0 && purchase.result.kind === 'problem'));
  const handOver = useFocusHandover();
  const [initialId] = useState(order?.id);
  // A shopper may claim a coupon again, but buys a flash coupon only once.
  const canRepeat = coupon.kind === 'claim' && state !== 'ended';

  const button = (titleId: string) => (
    <PurchaseButton
      ref={order ? undefined : handOver}
      key={order ? 'again' : 'first'}
      kind={coupon.kind}
      isRepeat={order !== undefined}
      state={state}
      titleId={titleId}
      opensInSeconds={opensInSeconds}
      retryInSeconds={retryInSeconds}
      waitMs={refusal?.retryAfterMs ?? 0}
      isBanned={refusal?.bannedUntil !== undefined}
      isBlocked={isBlocked}
      describedBy={refusal && (coupon.kind === 'claim' ? CLAIMS_WAIT_ID : meterId(refusal))}
      busy={purchase.busy}
      large={large}
      onPress={purchase.press}
    />
  );

  return (
    <CouponCard
      coupon={coupon}
      state={state}
      isOwn={order !== undefined}
      shape={shape}
      stock={
        coupon.stock &&
        state !== 'ended' && (
          <LiveStock
            id={coupon.id}
            stock={coupon.stock}
            time={state === 'live' && <TimeLeft clock={clock} endsAt={coupon.endsAt} serverNow={serverNow} />}
          />
        )
      }
      action={(titleId) => (
        <>
          {order && (
            <OwnedAction
              key={order.id}
              ref={handOver}
              titleId={titleId}
              isNew={order.id !== initialId}
              {...{ order, coupon, serverNow, large }}
            />
          )}
          {!order && (ticket || isShared) ? (
            <QueueAction
              ref={handOver}
              ticket={ticket}
              purchase={purchase}
              {...{ isOffered, isFull }}
              titleId={titleId}
              large={large}
            >
              {button(titleId)}
            </QueueAction>
          ) : (
            (!order || canRepeat) && button(titleId)
          )}
          {large && <PhonePace policy={`coupon.${coupon.kind}`} />}
        </>
      )}
      note={
        <CouponNote
          {...props}
          state={state}
          result={purchase.result}
          isRefused={isFull || isOffered}
          isBlocked={isBlocked && state === 'live'}
        />
      }
    />
  );
}

interface StockProps {
  /** The id of the coupon. */
  id: string;
  /** The stock as the server listed it. */
  stock: NonNullable<Coupon['stock']>;
  time: ReactNode;
}

/** Shows the live stock of a coupon. Its own component, so that a sold unit redraws nothing else of the card. */
function LiveStock({ id, stock, time }: StockProps) {
  return <StockBar {...stock} remaining={useLiveStock({ id, stock }) ?? stock.remaining} time={time} />;
}

interface TimeProps extends Pick<Coupon, 'endsAt'>, Pick<Props, 'serverNow'> {
  clock: Clock;
}

/** Shows the time until a sale ends. Its own component, so that its ticks redraw nothing else. */
function TimeLeft({ clock, endsAt, serverNow }: TimeProps) {
  const t = useTranslations('coupon');
  const { wait } = useDurations();
  const seconds = useCountdown({ clock, until: endsAt, initial: serverNow });
  return t('endsIn', { time: wait(seconds) });
}

/**
 * Returns a ref for controls that replace each other, such as a button and the link of the next step. A control that is
 * replaced while it has the focus passes it on.
 */
function useFocusHandover(): RefCallback<HTMLElement> {
  const [handOver] = useState(createHandover);
  return handOver;
}

function createHandover(): RefCallback<HTMLElement> {
  let hadFocus = false;
  return function handOver(control) {
    if (hadFocus) control?.focus();
    hadFocus = false;
    // React detaches the ref before it removes the control.
    return () => {
      hadFocus = control !== null && control === document.activeElement;
    };
  };
}
