import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import { StockBar } from '../_components/coupon';
import { classNames } from '../_components/ui/class-names';
import { Choice, SelectField } from '../_components/ui/field';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { useDurations } from '../_i18n/use-durations';
import type { Clock } from '../_live/clock';
import { useLiveStock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { useCouponState } from '../_sale/coupon-state';
import { roundKey } from '../_sale/use-coupons';
import type { Coupon } from '../_trpc/types';
import { SendButton, useCrowd } from './crowd';
import styles from './flood.module.css';
import { TapButton, useTaps } from './taps';

const sizes = [50, 150, 300] as const;
/** The default fills a window of 100 in 10 s after half of it, and keeps it full for the rest. */
const spreadsMs = [0, 3_000, 8_000] as const;

interface Props {
  coupons: [Coupon, ...Coupon[]];
  crowdLimit: PolicyLevel | undefined;
  serverNow: number;
  /** The shopper has pressed a button of a coupon since the last crowd was sent. */
  hasPressed: boolean;
  /** Called when a crowd is sent or the visitor taps. */
  onSend(): void;
  /** Called when all shoppers of a crowd have arrived. */
  onArrived(): void;
}

/** Sends a crowd or a burst of clicks to a coupon, and shows its stock and the result. */
export function FloodControls(props: Props) {
  const { coupons, crowdLimit, serverNow, hasPressed, onSend, onArrived } = props;
  const t = useTranslations('crowd');
  const tIdle = useTranslations('coupon.idle');
  const { length } = useDurations();
  const { coupon, state, stock, clock, options, key, choose } = useTarget(coupons, serverNow);
  const [shoppers, setShoppers] = useState<number>(150);
  const [overMs, setOverMs] = useState<number>(8_000);
  const [last, setLast] = useState<'crowd' | 'taps'>('crowd');
  const crowd = useCrowd({ limit: crowdLimit, canGrab: state === 'live' && !hasPressed });
  const taps = useTaps();
  const nextRoundInSeconds = useNextRound({ coupon, state, clock });
  const { note } = last === 'crowd' ? crowd : taps;

  return (
    <>
      <div className={classNames(layout.stack3, styles.main)}>
        {stock && <StockBar {...stock} time={<NextRound inSeconds={nextRoundInSeconds} />} />}
        <div className={classNames(layout.row2, styles.buttons)}>
          <SendButton
            crowd={crowd}
            shoppers={shoppers}
            isOpen={state === 'live'}
            onPress={() => {
              setLast('crowd');
              onSend();
              crowd.send({ couponId: coupon.id, shoppers, overMs }, { onSuccess: onArrived });
              if (isPhone()) showButton(coupon.id);
            }}
          />
          <TapButton
            responseCount={taps.responseCount}
            isOpen={state === 'live'}
            onPress={() => {
              setLast('taps');
              onSend();
              taps.tap(coupon);
            }}
          />
        </div>
        <div className={styles.note} role="status">
          {state === 'paused' ? <Notice tone="paused">{tIdle('paused')}</Notice> : note}
        </div>
      </div>
      <div className={styles.fields}>
        <SelectField
          label={t('coupon')}
          value={key}
          options={options.map((option) => ({ value: roundKey(option), label: option.title }))}
          onChange={choose}
        />
        <Choice<number>
          legend={t('shoppers')}
          name="shoppers"
          value={shoppers}
          options={sizes.map((size) => ({ value: size, label: String(size) }))}
          onChange={setShoppers}
        />
        <Choice<number>
          legend={t('over')}
          name="over"
          value={overMs}
          options={spreadsMs.map((ms) => ({
            value: ms,
            label: ms === 0 ? t('atOnce') : t('within', { time: length(ms) }),
          }))}
          onChange={setOverMs}
        />
      </div>
    </>
  );
}

/** True if the featured coupon's button is in a bar, and the dock stands on it. */
export function isPhone(): boolean {
  return matchMedia('(width < 48rem)').matches;
}

/** Scrolls the button of a coupon into view above the dock, so that the crowd and the button are those of one coupon. */
function showButton(couponId: string): void {
  const card = document.getElementById(couponId);
  card?.querySelector('[data-bar="other"]')?.scrollIntoView({ block: 'center' });
}

/** Shows when a coupon that is over opens again. `undefined`: the pause of 30 s began before this page saw it. */
function NextRound({ inSeconds }: { inSeconds: number | undefined }) {
  const t = useTranslations('crowd');
  const { wait } = useDurations();
  if (inSeconds === 0) return null;
  return inSeconds === undefined ? t('nextRoundSoon') : t('nextRound', { time: wait(inSeconds) });
}

/**
 * Returns the chosen coupon, by default the first: the featured one, whose stock and meters the visitor sees. The next
 * round of a coupon stays chosen.
 */
function useTarget([featured, ...others]: [Coupon, ...Coupon[]], serverNow: number) {
  const [chosen, setChosen] = useState<string>();
  const open = others.filter(({ state }) => state === 'live' || state === 'paused');
  const options = [featured, ...open];
  const coupon = options.find((option) => roundKey(option) === chosen) ?? featured;

  const remaining = useLiveStock(coupon);
  return {
    coupon,
    ...useCouponState(coupon, { serverNow, hasStock: remaining === undefined ? undefined : remaining > 0 }),
    stock: coupon.stock && { ...coupon.stock, remaining: remaining ?? coupon.stock.remaining },
    options,
    key: roundKey(coupon),
    choose: setChosen,
  };
}

/** The pause between two rounds of a demo sale. A test compares it with the server's. */
export const ROUND_PAUSE_MS = 30_000;

interface RoundOptions {
  coupon: Pick<Coupon, 'id' | 'endsAt' | 'hasNextRound'>;
  /** The present state of the coupon. */
  state: Coupon['state'];
  /** The server's clock. */
  clock: Clock;
}

/**
 * Returns the whole seconds until a demo's next round: 0 while the coupon is not over or if it has none, and `undefined` if
 * it had sold out before this was first rendered, so that the instant is unknown.
 */
function useNextRound({ coupon, state, clock }: RoundOptions): number | undefined {
  const { id, endsAt, hasNextRound } = coupon;
  const [seen, setSeen] = useState<{ id: string; state: Coupon['state']; soldOutAt?: number }>({ id, state });

  if (seen.id !== id) setSeen({ id, state });
  else if (seen.state !== state) {
    const hasSoldOut = seen.state === 'live' && state === 'sold-out';
    setSeen(hasSoldOut ? { id, state, soldOutAt: clock.now() } : { id, state });
  }

  const overAt = state === 'ended' ? endsAt : seen.soldOutAt;
  const inSeconds = useCountdown({ clock, until: overAt && overAt + ROUND_PAUSE_MS });
  if (!hasNextRound) return 0;
  return state === 'sold-out' && overAt === undefined ? undefined : inSeconds;
}
