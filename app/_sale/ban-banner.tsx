import { useTranslations } from 'next-intl';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Instant } from '../_i18n/local-time';
import { useDurations, usePeriod } from '../_i18n/use-durations';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import type { PolicyRefusal } from '../_window/refusals';
import styles from './sale.module.css';

interface Props {
  /** The last refusal of each policy. */
  refusals: Readonly<Record<string, PolicyRefusal | undefined>>;
}

const instant = classNames(layout.strong, layout.figures, styles.instant);
const time = { hour: 'numeric', minute: '2-digit' } as const;

/** States once for the whole page that the visitor is banned, why, and until when. */
export function BanBanner({ refusals }: Props) {
  const t = useTranslations('ban');
  const { wait } = useDurations();
  const formatPeriod = usePeriod();
  const bans = Object.values(refusals).filter((refusal) => refusal?.bannedUntil !== undefined);
  const [last] = bans.toSorted((one, other) => (other?.bannedUntil ?? 0) - (one?.bannedUntil ?? 0));
  // The clock of the meter, which shows the same ban.
  const seconds = useCountdown({ clock: useServerClock(), until: last?.bannedUntil });
  if (!last || seconds === 0) return null;
  // A ban is for one policy: the rest of the page works.
  const kind = bans.length === 1 && last.policy === 'coupon.claim' ? 'claim' : 'other';
  return (
    <p className={classNames(layout.failFill, styles.banner)}>
      {t.rich('banner', {
        kind,
        limit: last.limit,
        window: formatPeriod(last.windowMs),
        strong: (text) => <strong>{text}</strong>,
        at: () => <Instant at={last.bannedUntil ?? 0} format={time} />,
        // A text that changes each second would be announced each second.
        end: (text) => <span aria-hidden="true">{text}</span>,
        left: () => <span className={instant}>{wait(seconds)}</span>,
      })}
    </p>
  );
}
