import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Instant } from '../_i18n/local-time';
import { useDurations, usePeriod } from '../_i18n/use-durations';
import { stopwatch } from '../_live/clock';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import type { PolicyRefusal } from '../_window/refusals';
import styles from './sale.module.css';

interface Props {
  /** The last refusal of a claim. */
  refusal: PolicyRefusal;
}

const instant = classNames(layout.strong, layout.figures, styles.instant);
const time = { hour: 'numeric', minute: '2-digit' } as const;

/** States once for all coupons to claim why none can be claimed now, and counts down. */
export function ClaimsWait({ refusal: { limit, windowMs, bannedUntil, retryAt } }: Props) {
  const t = useTranslations('claimsWait');
  const { wait } = useDurations();
  const formatPeriod = usePeriod();
  // The clock of the meter, which shows the same ban.
  const banSeconds = useCountdown({ clock: useServerClock(), until: bannedUntil });
  const waitSeconds = useCountdown({ clock: stopwatch, until: retryAt });
  const isBanned = bannedUntil !== undefined;
  const seconds = isBanned ? banSeconds : waitSeconds;
  if (seconds === 0) return null;
  const values = {
    limit,
    window: formatPeriod(windowMs),
    // A text that changes each second would be announced each second.
    end: (text: ReactNode) => <span aria-hidden="true">{text}</span>,
    left: () => <span className={instant}>{wait(seconds)}</span>,
  };
  return (
    <p className={classNames(isBanned ? layout.failFill : layout.waitFill, styles.claimsLine)}>
      {isBanned
        ? t.rich('banned', {
            ...values,
            strong: (text) => <strong>{text}</strong>,
            at: () => <Instant at={bannedUntil} format={time} />,
          })
        : t.rich('full', values)}
    </p>
  );
}
