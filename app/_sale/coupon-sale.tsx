'use client';

import { useTranslations } from 'next-intl';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { CouponCard, type CouponShape } from '../_components/coupon-card';
import { PurchaseButton } from '../_components/purchase-button';
import { Button } from '../_components/ui/button';
import { Instant } from '../_components/ui/instant';
import { Notice } from '../_components/ui/notice';
import { useDurations } from '../_i18n/use-durations';
import { type Clock, stopwatch } from '../_live/clock';
import { useLiveStatus, useLiveStock, useServerClock } from '../_live/live-provider';
import { useCountdown, useNow } from '../_live/use-now';
import { useViewer } from '../_shell/viewer-provider';
import type { Coupon } from '../_trpc/types';
import type { PolicyRefusal } from '../_window/refusals';
import { meterId } from '../_window/refusals';
import { BAN_BANNER_ID } from './ban-banner';
import { nextChangeAt, stateAt } from './coupon-state';
import { type PurchaseResult, TAP_COUNT, usePurchase } from './use-purchase';

/** Demo only, so loaded after the parts that every visitor needs. */
const TapButton = lazy(() => import('./tap-button'));

/** Not needed before the first click. */
const loadResultNote = () => import('./result-note');
const ResultNote = lazy(loadResultNote);

interface Props {
  coupon: Coupon;
  /** The last refusal by a limit of the coupon's policy; it may have ended. */
  refusal: PolicyRefusal | undefined;
  /** The server's clock when the list was made. */
  serverNow: number;
  shape: CouponShape;
}

/** Shows a coupon with live stock, countdown and button. */
export function CouponSale({ coupon, refusal, serverNow, shape }: Props) {
  const clock = useServerClock(serverNow);
  const remaining = useLiveStock(coupon.id);
  const nextAt = useCallback((present: number) => nextChangeAt(coupon, present), [coupon]);
  const now = useNow({ clock, initial: serverNow, nextAt });
  const state = stateAt(coupon, { now, remaining });
  const { press, setResult, busy, result } = usePurchase(coupon);
  const { demo } = useViewer();
  const opensInSeconds = useCountdown({ clock, until: coupon.startsAt, initial: serverNow });
  const retryInSeconds = useCountdown({ clock: stopwatch, until: refusal?.retryAt });
  const nextRoundInSeconds = useCountdown({ clock, until: useNextRound({ coupon, state, clock }) });
  const closed = state !== 'live' || retryInSeconds > 0;

  // Loaded early, because the result may be that the network is down.
  useEffect(() => void loadResultNote(), []);

  return (
    <CouponCard
      coupon={coupon}
      state={state}
      stock={coupon.stock && { ...coupon.stock, remaining: remaining ?? coupon.stock.remaining }}
      shape={shape}
      nextRound={nextRoundInSeconds > 0 && <NextRound inSeconds={nextRoundInSeconds} />}
      action={(titleId) => (
        <>
          <PurchaseButton
            kind={coupon.kind}
            state={state}
            titleId={titleId}
            opensInSeconds={opensInSeconds}
            retryInSeconds={retryInSeconds}
            waitMs={refusal?.retryAfterMs ?? 0}
            isBanned={refusal?.bannedUntil !== undefined}
            describedBy={refusal && (refusal.bannedUntil ? BAN_BANNER_ID : meterId(refusal))}
            busy={busy}
            large={shape === 'featured'}
            onPress={press}
          />
          {demo && shape === 'featured' && (
            <Suspense fallback={<TapPlaceholder />}>
              <TapButton
                coupon={coupon}
                closed={closed}
                onDone={(tally) => setResult({ kind: 'taps', tally })}
              />
            </Suspense>
          )}
        </>
      )}
      note={renderNote({ coupon, shape, state, result, refusal, isWaiting: retryInSeconds > 0 })}
    />
  );
}

interface NoteOptions {
  coupon: Coupon;
  shape: CouponShape;
  state: Coupon['state'];
  result: PurchaseResult;
  refusal: PolicyRefusal | undefined;
  /** That refusal has not ended. */
  isWaiting: boolean;
}

/** Returns the result of the last click, or a hint before the first. */
function renderNote({ coupon: { startsAt, endsAt }, shape, state, result, refusal, isWaiting }: NoteOptions) {
  if (result.kind !== 'none') {
    return (
      <Suspense>
        <ResultNote result={result} refusal={refusal} isWaiting={isWaiting} />
      </Suspense>
    );
  }
  // In a list, the button's text suffices, except for a paused gate.
  if (shape === 'row' && state !== 'paused') return null;
  return <StateHint state={state} until={state === 'upcoming' ? startsAt : endsAt} />;
}

const tones = {
  live: 'plain',
  upcoming: 'waiting',
  paused: 'paused',
  'sold-out': 'over',
  ended: 'over',
} as const satisfies Record<Coupon['state'], string>;

function StateHint({ state, until }: { state: Coupon['state']; until: number }) {
  const t = useTranslations('coupon');
  const isStale = useLiveStatus() === 'stale';
  // The live feed continues during a rebuild of the gate, and stops if the store is down.
  if (state === 'paused' && isStale) return <Notice tone="unavailable">{t('idle.unavailable')}</Notice>;
  return <Notice tone={tones[state]}>{t.rich(`idle.${state}`, { at: () => <Instant at={until} /> })}</Notice>;
}

/** The pause between two rounds of a demo sale. Must equal `PAUSE_MS` of server/demo/rounds.ts. */
const ROUND_PAUSE_MS = 30_000;

interface NextRoundOptions {
  coupon: Pick<Coupon, 'kind' | 'endsAt'>;
  state: Coupon['state'];
  /** The server's clock. */
  clock: Clock;
}

/**
 * Returns the start of a demo's next round on the server's clock; `undefined` if there is none, or if the
 * coupon had sold out before this page was opened.
 */
function useNextRound({ coupon: { kind, endsAt }, state, clock }: NextRoundOptions): number | undefined {
  const { demo } = useViewer();
  const [seen, setSeen] = useState<{ state: Coupon['state']; soldOutAt?: number }>({ state });

  if (seen.state !== state) {
    setSeen(seen.state === 'live' && state === 'sold-out' ? { state, soldOutAt: clock.now() } : { state });
  }

  if (!demo || kind !== 'seckill') return undefined;
  if (state === 'ended') return endsAt + ROUND_PAUSE_MS;
  return state === 'sold-out' && seen.soldOutAt !== undefined ? seen.soldOutAt + ROUND_PAUSE_MS : undefined;
}

function NextRound({ inSeconds }: { inSeconds: number }) {
  const t = useTranslations('coupon');
  const { wait } = useDurations();
  return t('nextRound', { time: wait(inSeconds) });
}

/** A placeholder of the size of the lazy button. */
function TapPlaceholder() {
  const t = useTranslations('taps');
  return (
    <Button size="large" closed>
      {t('tap', { count: TAP_COUNT })}
    </Button>
  );
}
