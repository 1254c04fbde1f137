import { Users } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import { StockBar } from '../_components/coupon';
import { Button } from '../_components/ui/button';
import { Choice, SelectField } from '../_components/ui/field';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { useDurations } from '../_i18n/use-durations';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import { roundKey } from '../_sale/use-coupons';
import type { Coupon } from '../_trpc/types';
import { usePolicyRefusal } from '../_window/refusals';
import styles from './flood-dock.module.css';
import { TapsNote } from './taps-note';
import { useCrowd } from './use-crowd';
import { useNextRound } from './use-next-round';
import { TAP_COUNT, useTaps } from './use-taps';
import { useTarget } from './use-target';

const sizes = [50, 150, 300] as const;
const spreadsMs = [0, 3_000, 10_000] as const;

interface Props {
  coupons: [Coupon, ...Coupon[]];
  crowdLimit: PolicyLevel | undefined;
  serverNow: number;
}

/** Sends a crowd or a burst of clicks to a coupon, and shows its stock and the result. */
export function FloodControls({ coupons, crowdLimit, serverNow }: Props) {
  const t = useTranslations('crowd');
  const { length } = useDurations();
  const { coupon, state, stock, clock, options, key, choose } = useTarget(coupons, serverNow);
  const [shoppers, setShoppers] = useState<number>(150);
  const [overMs, setOverMs] = useState<number>(3_000);
  const [last, setLast] = useState<'crowd' | 'taps'>('crowd');
  const crowd = useCrowd(crowdLimit);
  const taps = useTaps();
  const nextRoundInSeconds = useNextRound({ coupon, state, clock });
  const result = last === 'crowd' ? crowd.note : taps.tally && <TapsNote {...taps.tally} />;

  return (
    <>
      <div className={layout.stack3}>
        {stock && <StockBar {...stock} time={<NextRound inSeconds={nextRoundInSeconds} />} />}
        <div className={styles.buttons}>
          <SendButton
            crowd={crowd}
            isOpen={state === 'live'}
            onPress={() => {
              setLast('crowd');
              crowd.send({ couponId: coupon.id, shoppers, overMs });
            }}
          />
          <TapButton
            responseCount={taps.responseCount}
            isOpen={state === 'live'}
            onPress={() => {
              setLast('taps');
              taps.tap(coupon);
            }}
          />
        </div>
        <div className={styles.note} role="status">
          {state === 'paused' ? <PausedNote /> : result}
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

/** States why the buttons are closed. */
function PausedNote() {
  const t = useTranslations('coupon.idle');
  return <Notice tone="paused">{t('paused')}</Notice>;
}

interface SendProps {
  crowd: Pick<ReturnType<typeof useCrowd>, 'busy' | 'retryInSeconds'>;
  /** The coupon is on sale. */
  isOpen: boolean;
  onPress(): void;
}

function SendButton({ crowd: { busy, retryInSeconds }, isOpen, onPress }: SendProps) {
  const t = useTranslations('crowd');
  const tCoupon = useTranslations('coupon');
  const { wait } = useDurations();
  return (
    <Button variant="primary" busy={busy} closed={!isOpen || retryInSeconds > 0} onClick={onPress}>
      <Users size={18} aria-hidden="true" />
      {retryInSeconds > 0 ? tCoupon('againIn', { time: wait(retryInSeconds) }) : t('send')}
    </Button>
  );
}

interface TapProps {
  /** The number of responses; `undefined` while not tapping. */
  responseCount: number | undefined;
  isOpen: boolean;
  onPress(): void;
}

/** A button that clicks many times at once, to show the visitor's own limit. Closed while that limit refuses. */
function TapButton({ responseCount, isOpen, onPress }: TapProps) {
  const t = useTranslations('taps');
  const refusal = usePolicyRefusal('coupon.seckill');
  const isRefused = useCountdown({ clock: stopwatch, until: refusal?.retryAt }) > 0;
  return (
    <Button closed={!isOpen || isRefused} busy={responseCount !== undefined} onClick={onPress}>
      {t('tap', { count: TAP_COUNT - (responseCount ?? 0) })}
    </Button>
  );
}

/** Shows when a coupon that is over opens again. `undefined`: the pause of 30 s began before this page saw it. */
function NextRound({ inSeconds }: { inSeconds: number | undefined }) {
  const t = useTranslations('crowd');
  const { wait } = useDurations();
  if (inSeconds === 0) return null;
  return inSeconds === undefined ? t('nextRoundSoon') : t('nextRound', { time: wait(inSeconds) });
}
