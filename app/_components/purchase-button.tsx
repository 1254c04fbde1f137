import { useTranslations } from 'next-intl';
import { useId, useState } from 'react';
import { useDurations } from '../_i18n/use-durations';
import type { Coupon } from '../_trpc/types';
import styles from './purchase-button.module.css';
import { Button } from './ui/button';
import { classNames } from './ui/class-names';

/** Each state has a look of its own, beside its words. */
const looks = {
  upcoming: styles.upcoming,
  live: undefined,
  paused: styles.paused,
  'sold-out': styles.over,
  ended: styles.over,
} satisfies Record<Coupon['state'], string | undefined>;

interface Props {
  kind: Coupon['kind'];
  state: Coupon['state'];
  /** Names the coupon after the button's own words. */
  titleId: string;
  /** Whole seconds until the sale opens; 0 from then on. */
  opensInSeconds: number;
  /** Whole seconds until a refusal is over; 0 where there is none. */
  againInSeconds: number;
  /** How long that refusal holds in all. */
  waitMs: number;
  /** The id of what explains the refusal. */
  describedBy: string | undefined;
  busy: boolean;
  large: boolean;
  onPress(): void;
}

/** The one button of a coupon. While it cannot be pressed it says why, and until when. */
export function PurchaseButton(props: Props) {
  const { kind, state, titleId, opensInSeconds, againInSeconds, waitMs, describedBy } = props;
  const { busy, large, onPress } = props;
  const t = useTranslations('coupon');
  const { wait } = useDurations();
  const id = useId();
  const isRefused = state === 'live' && againInSeconds > 0;

  function words(): string {
    if (busy) return t('sending');
    if (state === 'upcoming') return t('opensIn', { time: wait(Math.max(1, opensInSeconds)) });
    if (state !== 'live') return t(`state.${state}`);
    if (againInSeconds > 0) return t('againIn', { time: wait(againInSeconds) });
    return t(kind === 'seckill' ? 'grab' : 'claim');
  }

  return (
    <Button
      id={id}
      aria-labelledby={`${id} ${titleId}`}
      aria-describedby={isRefused ? describedBy : undefined}
      className={classNames(styles.look, isRefused ? styles.refused : looks[state])}
      variant={kind === 'seckill' ? 'primary' : 'secondary'}
      size={large ? 'large' : 'medium'}
      wide
      busy={busy}
      closed={state !== 'live' || isRefused}
      onClick={onPress}
    >
      {words()}
      {isRefused && !busy && <WaitLeft againInSeconds={againInSeconds} waitMs={waitMs} />}
    </Button>
  );
}

/** The wait as a line that runs down. One that is seen for the first time in the middle begins in the middle. */
function WaitLeft({ againInSeconds, waitMs }: Pick<Props, 'againInSeconds' | 'waitMs'>) {
  const [passedMs] = useState(() => Math.max(0, waitMs - againInSeconds * 1_000));
  return (
    <span
      aria-hidden="true"
      className={styles.left}
      style={{ animationDuration: `${waitMs}ms`, animationDelay: `${-passedMs}ms` }}
    />
  );
}
