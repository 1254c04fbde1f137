import { useTranslations } from 'next-intl';
import { useDurations } from '../../_i18n/use-durations';
import { useServerClock } from '../../_live/live-provider';
import { useCountdown } from '../../_live/use-countdown';

/** How long until an instant of the server's clock, counting down. */
export function TimeLeft({ until }: { until: number }) {
  const t = useTranslations('opsWho.bans');
  const { wait } = useDurations();
  const seconds = useCountdown({ clock: useServerClock(), until });
  return seconds > 0 ? wait(seconds) : t('over');
}
