import { useTranslations } from 'next-intl';
import { useId } from 'react';
import { useDurations } from '../_i18n/use-durations';
import type { Coupon } from '../_trpc/types';
import { Button } from './ui/button';

interface Props {
  kind: Coupon['kind'];
  state: Coupon['state'];
  /** Names the coupon after the button's own words. */
  titleId: string;
  /** Whole seconds until the sale opens; 0 from then on. */
  opensInSeconds: number;
  /** Whole seconds until a refusal is over; 0 where there is none. */
  againInSeconds: number;
  busy: boolean;
  large: boolean;
  onPress(): void;
}

/** The one button of a coupon. While it cannot be pressed it says why, and until when. */
export function PurchaseButton(props: Props) {
  const { kind, state, titleId, opensInSeconds, againInSeconds, busy, large, onPress } = props;
  const t = useTranslations('coupon');
  const { wait } = useDurations();
  const id = useId();

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
      variant={kind === 'seckill' ? 'primary' : 'secondary'}
      size={large ? 'large' : 'medium'}
      wide
      busy={busy}
      closed={state !== 'live' || againInSeconds > 0}
      onClick={onPress}
    >
      {words()}
    </Button>
  );
}
