'use client';

import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { CouponCard, type CouponShape } from '../_components/coupon-card';
import { ProblemNote } from '../_components/problem-note';
import { PurchaseButton } from '../_components/purchase-button';
import { PurchaseReplyNote } from '../_components/purchase-reply-note';
import { Instant } from '../_components/ui/instant';
import { Notice } from '../_components/ui/notice';
import { stopwatch } from '../_live/clock';
import { useLiveStock, useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-countdown';
import { useNow } from '../_live/use-now';
import type { Coupon } from '../_trpc/types';
import { nextStateAt, stateAt } from './coupon-state';
import { type PurchaseResult, usePurchase } from './use-purchase';

interface Props {
  coupon: Coupon;
  /** The instant that the list was made at. */
  serverNow: number;
  shape: CouponShape;
}

/** A coupon with its live stock, its clock and its button. */
export function CouponSale({ coupon, serverNow, shape }: Props) {
  const clock = useServerClock(serverNow);
  const remaining = useLiveStock(coupon.id);
  const nextAt = useCallback((present: number) => nextStateAt(coupon, present), [coupon]);
  const now = useNow({ clock, initial: serverNow, nextAt });
  const state = stateAt(coupon, { now, remaining });
  const { press, busy, result, againAt } = usePurchase(coupon);
  const opensInSeconds = useCountdown({ clock, until: coupon.startsAt, initial: serverNow });
  const againInSeconds = useCountdown({ clock: stopwatch, until: againAt });

  return (
    <CouponCard
      coupon={coupon}
      state={state}
      stock={coupon.stock && { ...coupon.stock, remaining: remaining ?? coupon.stock.remaining }}
      shape={shape}
      action={(titleId) => (
        <PurchaseButton
          kind={coupon.kind}
          state={state}
          titleId={titleId}
          opensInSeconds={opensInSeconds}
          againInSeconds={againInSeconds}
          busy={busy}
          large={shape === 'featured'}
          onPress={press}
        />
      )}
      note={saleNote({ coupon, state, result, isWaiting: againInSeconds > 0 })}
    />
  );
}

interface NoteOf {
  coupon: Coupon;
  state: Coupon['state'];
  result: PurchaseResult;
  /** A refusal is not over yet. */
  isWaiting: boolean;
}

/** What became of the last click; before the first one, what to expect of it, where that needs saying. */
function saleNote({ coupon: { kind, endsAt }, state, result, isWaiting }: NoteOf) {
  switch (result.kind) {
    case 'reply':
      return <PurchaseReplyNote reply={result.reply} />;
    case 'problem':
      if (result.problem.kind === 'refused' && !isWaiting) return <OpenAgain />;
      return <ProblemNote problem={result.problem} here="/" />;
    case 'none':
      return kind === 'claim' && state === 'live' ? null : <WhatToExpect state={state} endsAt={endsAt} />;
  }
}

function OpenAgain() {
  const t = useTranslations('outcome');
  return <Notice>{t('again')}</Notice>;
}

function WhatToExpect({ state, endsAt }: Pick<Coupon, 'state' | 'endsAt'>) {
  const t = useTranslations('coupon');
  return (
    <Notice>
      {t(`idle.${state}`)}{' '}
      {state === 'live' && (
        <>
          {t('until')} <Instant at={endsAt} />
        </>
      )}
    </Notice>
  );
}
