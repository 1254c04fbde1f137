import { useTranslations } from 'next-intl';
import { type RefCallback, useId, useState } from 'react';
import { useDurations } from '../_i18n/use-durations';
import type { Coupon } from '../_trpc/types';
import styles from './purchase.module.css';
import { Button } from './ui/button';
import { classNames } from './ui/class-names';

/** The style of each state, in addition to its text. */
const stateStyles = {
  upcoming: undefined,
  live: undefined,
  paused: styles.paused,
  'sold-out': styles.overButton,
  ended: styles.overButton,
} satisfies Record<Coupon['state'], string | undefined>;

interface Props {
  kind: Coupon['kind'];
  /** The viewer has the coupon and may get it again, so this is not the main action. */
  isRepeat: boolean;
  state: Coupon['state'];
  /** The id of the coupon's title, which completes the button's name. */
  titleId: string;
  /** Whole seconds until the sale opens; then 0. */
  opensInSeconds: number;
  /** Whole seconds until the refusal ends; 0 without one. */
  retryInSeconds: number;
  /** The full duration of that refusal. */
  waitMs: number;
  /** The refusal is a ban. */
  isBanned: boolean;
  /** An operator blocks all calls, and a note explains it. */
  isBlocked: boolean;
  /** The id of the element that explains the refusal. */
  describedBy: string | undefined;
  busy: boolean;
  large: boolean;
  ref: RefCallback<HTMLElement> | undefined;
  onPress(): void;
}

/** The button of a coupon. While it is closed, it states why and for how long. */
export function PurchaseButton(props: Props) {
  const { kind, isRepeat, state, titleId, opensInSeconds, retryInSeconds, waitMs, describedBy } = props;
  const { isBanned, isBlocked, busy, large, ref, onPress } = props;
  const t = useTranslations('coupon');
  const { wait } = useDurations();
  const id = useId();
  const isOnHold = state === 'live' && isBlocked;
  const isRefused = state === 'live' && !isBlocked && retryInSeconds > 0;

  function words(): string {
    if (busy) return t('sending');
    if (state === 'upcoming') return t('opensIn', { time: wait(Math.max(1, opensInSeconds)) });
    if (state !== 'live') return t(`state.${state}`);
    if (isOnHold) return t('onHold');
    if (retryInSeconds > 0 && isBanned) return t('banned');
    // One line counts down for all coupons to claim.
    if (retryInSeconds > 0 && kind === 'seckill') return t('againIn', { time: wait(retryInSeconds) });
    if (isRepeat) return t('claimAgain');
    return t(kind === 'seckill' ? 'grab' : 'claim');
  }

  return (
    <Button
      ref={ref}
      id={id}
      aria-labelledby={`${id} ${titleId}`}
      aria-describedby={isRefused ? describedBy : undefined}
      className={classNames(
        styles.purchase,
        busy ? styles.sending : !isRefused && stateStyles[isOnHold ? 'paused' : state],
      )}
      variant={kind === 'seckill' ? 'primary' : 'secondary'}
      size={large ? 'large' : 'medium'}
      wide
      busy={busy}
      closed={state !== 'live' || isOnHold || isRefused}
      onClick={onPress}
    >
      {words()}
      {isRefused && kind === 'seckill' && !isBanned && !busy && (
        <RemainingWait retryInSeconds={retryInSeconds} waitMs={waitMs} />
      )}
    </Button>
  );
}

/** Draws the remaining wait as a shrinking line. A wait that began earlier starts part of the way. */
function RemainingWait({ retryInSeconds, waitMs }: Pick<Props, 'retryInSeconds' | 'waitMs'>) {
  const [passedMs] = useState(() => Math.max(0, waitMs - retryInSeconds * 1_000));
  return (
    <span
      aria-hidden="true"
      className={styles.remainingWait}
      style={{ animationDuration: `${waitMs}ms`, animationDelay: `${-passedMs}ms` }}
    />
  );
}
