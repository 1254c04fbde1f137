'use client';

import { useTranslations } from 'next-intl';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { formatTimeToPay } from '../_orders/format-time-to-pay';
import styles from './hold-countdown.module.css';

interface Props {
  /** Begin and end of the hold, on the server's clock. */
  since: number;
  until: number;
  /** That clock at rendering. */
  renderedAt: number;
}

/** Shows the time that is left to pay, as figures and as a bar that empties; nothing afterwards. */
export function HoldCountdown({ since, until, renderedAt }: Props) {
  const t = useTranslations('wallet');
  const clock = useServerClock(renderedAt);
  const seconds = useCountdown({ clock, until, initial: renderedAt });
  if (seconds === 0) return null;
  const share = Math.min(1, (seconds * 1_000) / Math.max(1, until - since));
  return (
    <div className={styles.countdown}>
      <p>
        {t.rich('payWithin', {
          // A timer is not announced each second.
          time: () => (
            <strong role="timer" className={styles.time}>
              {formatTimeToPay(seconds)}
            </strong>
          ),
        })}
      </p>
      <div className={styles.bar} aria-hidden="true">
        <span style={{ scale: `${share} 1` }} />
      </div>
    </div>
  );
}
