'use client';

import { useTranslations } from 'next-intl';
import { Activity, memo, useCallback } from 'react';
import { CouponCard, type CouponShape } from '../_components/coupon';
import { PurchaseButton } from '../_components/purchase-button';
import { Notice } from '../_components/ui/status';
import { useFocusHandover } from '../_components/ui/use-focus-handover';
import { Instant } from '../_i18n/local-time';
import { stopwatch } from '../_live/clock';
import { useHasLiveStock, useIsStale, useIsStateUnknown, useServerClock } from '../_live/live-provider';
import { useIsBlocked } from '../_live/live-windows';
import { useCountdown, useNow } from '../_live/use-now';
import { ownershipOf } from '../_orders/order-state';
import { QueueAction } from '../_queue/queue-action';
import type { Coupon, Order, Ticket } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { PhonePace } from '../_window/pace-bars';
import pace from '../_window/pace-bars.module.css';
import type { PolicyRefusal } from '../_window/refusals';
import { meterId } from '../_window/refusals';
import { nextChangeAt, stateAt } from './coupon-state';
import { LiveStock } from './live-stock';
import { OwnedAction } from './owned-action';
import { ResultNote } from './result-note';
import { TimeLeft } from './time-left';
import { useClearAfterOutage } from './use-clear-after-outage';
import { type PurchaseResult, usePurchase } from './use-purchase';

/** The id of the banner about a ban, which explains every closed button. */
export const BAN_BANNER_ID = 'ban-banner';

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
  const clock = useServerClock(serverNow);
  const hasStock = useHasLiveStock(coupon);
  const nextAt = useCallback((present: number) => nextChangeAt(coupon, present), [coupon]);
  const now = useNow({ clock, initial: serverNow, nextAt });
  const state = stateAt(coupon, { now, hasStock, isUnknown: useIsStateUnknown() });
  const purchase = usePurchase(coupon);
  const { press, setResult, busy, result } = purchase;
  const large = shape === 'featured';
  const isOutage = useIsStale() || state === 'paused';
  useClearAfterOutage(isOutage, { result, clear: () => setResult({ kind: 'none' }) });
  const opensInSeconds = useCountdown({ clock, until: coupon.startsAt, initial: serverNow });
  const retryInSeconds = useCountdown({ clock: stopwatch, until: refusal?.retryAt });
  const isFeedBlocked = useIsBlocked(`coupon.${coupon.kind}`);
  const isBlocked = isFeedBlocked || (refusal?.isBlocked === true && retryInSeconds > 0);
  const isShared = refusal?.level === 'global';
  const handOver = useFocusHandover();
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
      describedBy={refusal && (refusal.bannedUntil ? BAN_BANNER_ID : meterId(refusal))}
      busy={busy}
      large={large}
      onPress={press}
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
              ref={handOver}
              order={order}
              coupon={coupon}
              serverNow={serverNow}
              titleId={titleId}
              large={large}
            />
          )}
          {!order && (ticket || isShared) ? (
            <QueueAction
              ref={handOver}
              ticket={ticket}
              purchase={purchase}
              isFull={isShared && state === 'live' && retryInSeconds > 0 && !isBlocked}
              titleId={titleId}
              large={large}
            >
              {button(titleId)}
            </QueueAction>
          ) : (
            (!order || canRepeat) && button(titleId)
          )}
          {large && (
            <div className={pace.space}>
              <PhonePace policy={`coupon.${coupon.kind}`} />
            </div>
          )}
        </>
      )}
      note={renderNote(props, {
        state,
        result,
        isRefused: retryInSeconds > 0,
        isBlocked: isBlocked && state === 'live',
      })}
    />
  );
}

interface NoteOptions {
  state: Coupon['state'];
  result: PurchaseResult;
  /** The refusal has not ended. */
  isRefused: boolean;
  /** An operator blocks the calls of a coupon that is on sale. */
  isBlocked: boolean;
}

/** Returns the result of the last click; before the first, the viewer's order or a hint. */
function renderNote(props: Props, options: NoteOptions) {
  const { coupon, order, shape, ticket } = props;
  const { state, result, isBlocked } = options;
  // In a list, the button's text suffices, except for a hold and a paused gate.
  const isRow = shape === 'row';
  const isIdle = result.kind === 'none' && (!ticket || order);
  const isPaused = state === 'paused' || isBlocked;
  if (isIdle && isRow && (order ? ownershipOf(order) === 'owned' : !isPaused)) return null;
  const hint = isBlocked ? (
    <BlockedHint />
  ) : (
    <StateHint state={state} until={state === 'upcoming' ? coupon.startsAt : coupon.endsAt} />
  );
  if (isBlocked && result.kind === 'problem' && result.problem.kind === 'refused') return hint;
  if (isIdle && !order && !(state === 'sold-out' && coupon.stock)) return hint;
  return <ResultNote {...props} {...options} hint={hint} />;
}

/** States that an operator blocks the coupon, and that no time is known. */
function BlockedHint() {
  const t = useTranslations('coupon');
  return <Notice tone="paused">{t('onHoldText')}</Notice>;
}

const tones = {
  live: undefined,
  upcoming: 'waiting',
  paused: 'paused',
  'sold-out': 'over',
  ended: 'over',
} as const satisfies Record<Coupon['state'], string | undefined>;

function StateHint({ state, until }: { state: Coupon['state']; until: number }) {
  const t = useTranslations('coupon');
  const { demo, user } = useViewer();
  // A press signs a visitor of the demo in.
  if (state === 'live' && !demo && !user) return <Notice>{t('idle.signIn')}</Notice>;
  return <Notice tone={tones[state]}>{t.rich(`idle.${state}`, { at: () => <Instant at={until} /> })}</Notice>;
}
