import { useTranslations } from 'next-intl';
import { useDurations } from '../_i18n/use-durations';
import type { Clock } from '../_live/clock';
import { useCountdown } from '../_live/use-now';

interface Props {
  /** The server's clock. */
  clock: Clock;
  /** The end of the sale on that clock. */
  endsAt: number;
  /** That clock when the page was rendered. */
  serverNow: number;
}

/** Shows the time until a sale ends. Its own component, so that its ticks redraw nothing else. */
export function TimeLeft({ clock, endsAt, serverNow }: Props) {
  const t = useTranslations('coupon');
  const { wait } = useDurations();
  const seconds = useCountdown({ clock, until: endsAt, initial: serverNow });
  return t('endsIn', { time: wait(seconds) });
}
