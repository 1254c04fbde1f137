import { useTranslations } from 'next-intl';
import { useDurations } from '../../_i18n/use-durations';
import { useServerClock } from '../../_live/live-provider';
import { useCountdown } from '../../_live/use-countdown';

/** Counts down to an instant of the server's clock. */
export function TimeLeft({ until }: { until: number }) {
  const t = useTranslations('opsUsers.bans');
  const { wait } = useDurations();
  const seconds = useCountdown({ clock: useServerClock(), until });
  return seconds > 0 ? wait(seconds) : t('over');
}
