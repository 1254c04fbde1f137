import { useTranslations } from 'next-intl';
import { Instant } from '../_components/ui/instant';
import { useDurations } from '../_i18n/use-durations';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import type { PolicyRefusal } from '../_window/refusals';
import styles from './ban-banner.module.css';

/** The id of the banner, which explains every closed button. */
export const BAN_BANNER_ID = 'ban-banner';

interface Props {
  /** The refusals of the page's policies; absent or ended ones, too. */
  refusals: readonly (PolicyRefusal | undefined)[];
}

const time = { hour: 'numeric', minute: '2-digit' } as const;

/** States once for the whole page that the visitor is banned, why, and until when. */
export function BanBanner({ refusals }: Props) {
  const t = useTranslations('refusal');
  const { length, wait } = useDurations();
  const ban = findLongestBan(refusals);
  const seconds = useCountdown({ clock: stopwatch, until: ban?.retryAt });
  return (
    <div id={BAN_BANNER_ID} role="status" className={styles.place}>
      {ban?.bannedUntil !== undefined && seconds > 0 && (
        <p className={styles.banner}>
          <strong>
            {t.rich('bannedUntil', { at: () => <Instant at={ban.bannedUntil ?? 0} format={time} /> })}
          </strong>{' '}
          {t('bannedBy', { limit: ban.limit, window: length(ban.windowMs) })} {t('opensItself')}{' '}
          {/* A text that changes each second would be announced each second. */}
          <span aria-hidden="true" className={styles.left}>
            {wait(seconds)}
          </span>
        </p>
      )}
    </div>
  );
}

function findLongestBan(refusals: Props['refusals']): PolicyRefusal | undefined {
  return refusals
    .filter((refusal) => refusal?.bannedUntil !== undefined)
    .toSorted((one, other) => (other?.retryAt ?? 0) - (one?.retryAt ?? 0))[0];
}
