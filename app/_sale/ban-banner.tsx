import { useTranslations } from 'next-intl';
import { Instant } from '../_components/ui/instant';
import { useDurations } from '../_i18n/use-durations';
import { usePeriod } from '../_i18n/use-period';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import type { PolicyRefusal } from '../_window/refusals';
import styles from './ban-banner.module.css';

interface Props {
  /** The refusal with the latest ban. */
  ban: PolicyRefusal;
}

const time = { hour: 'numeric', minute: '2-digit' } as const;

/** States once for the whole page that the visitor is banned, why, and until when. */
export default function BanBanner({ ban }: Props) {
  const t = useTranslations('refusal');
  const { wait } = useDurations();
  const formatPeriod = usePeriod();
  const seconds = useCountdown({ clock: stopwatch, until: ban.retryAt });
  if (seconds === 0) return null;
  return (
    <p className={styles.banner}>
      <strong>
        {t.rich('bannedUntil', { at: () => <Instant at={ban.bannedUntil ?? 0} format={time} /> })}
      </strong>{' '}
      {t('bannedBy', { limit: ban.limit, window: formatPeriod(ban.windowMs) })} {t('opensItself')}{' '}
      {/* A text that changes each second would be announced each second. */}
      <span aria-hidden="true" className={styles.left}>
        {wait(seconds)}
      </span>
    </p>
  );
}
