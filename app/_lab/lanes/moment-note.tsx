import { Check, Clock, X } from 'lucide-react';
import { useTranslations } from 'next-intl';
import type { DecidedCall } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import type { Moment } from './moment';
import styles from './moment-note.module.css';

interface Props {
  /** `undefined` until it has been run. */
  moment: Moment | undefined;
  limit: number;
}

/** How an algorithm stands at the instant that is looked at, and what it told its newest caller. */
export function MomentNote({ moment, limit }: Props) {
  const t = useTranslations('lab.moment');
  if (!moment) return <p className={styles.note}>&nbsp;</p>;
  return (
    <p className={styles.note}>
      <span className={styles.count}>{t('inWindow', { count: moment.inWindow, limit })}</span>
      {moment.last && <LastCall call={moment.last} />}
      {moment.queued > 0 && <span>{t('queued', { count: moment.queued })}</span>}
    </p>
  );
}

function LastCall({ call }: { call: DecidedCall }) {
  const t = useTranslations('lab.moment');
  const { time, ms } = useLabNumbers();
  const { allowed, delayMs, remaining, retryAfterMs } = call;
  const at = time(call.at);
  if (!allowed) {
    return (
      <span className={styles.refused}>
        <X size={14} aria-hidden="true" />
        {t('refused', { at, wait: ms(retryAfterMs) })}
      </span>
    );
  }
  const Picture = delayMs > 0 ? Clock : Check;
  return (
    <span className={styles.admitted}>
      <Picture size={14} aria-hidden="true" />
      {delayMs > 0 ? t('delayed', { at, wait: ms(delayMs) }) : t('admitted', { at, remaining })}
    </span>
  );
}
