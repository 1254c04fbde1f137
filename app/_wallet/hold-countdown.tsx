'use client';

import { useTranslations } from 'next-intl';
import { useDurations } from '../_i18n/use-durations';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-countdown';

interface Props {
  /** Epoch ms of the server's clock, like `renderedAt`. */
  until: number;
  renderedAt: number;
}

/** Shows the remaining hold of an order; nothing afterwards. */
export function HoldCountdown({ until, renderedAt }: Props) {
  const t = useTranslations('wallet');
  const { wait } = useDurations();
  const clock = useServerClock(renderedAt);
  const seconds = useCountdown({ clock, until, initial: renderedAt });
  return seconds > 0 ? t('held', { time: wait(seconds) }) : null;
}
