import { Check, Clock, X } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useDurations } from '../../_i18n/use-durations';
import type { DecidedCall } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import styles from './instant-note.module.css';
import type { InstantState } from './window-counts';

interface Props {
  /** `undefined` before the first run. */
  state: InstantState | undefined;
  limit: number;
  windowMs: number;
}

/** The state of an algorithm at the selected time, with its latest decision. */
export function InstantNote({ state, limit, windowMs }: Props) {
  const t = useTranslations('lab.instant');
  const { length } = useDurations();
  if (!state) return <p className={styles.note}>&nbsp;</p>;
  return (
    <p className={styles.note}>
      <span className={styles.count}>
        {t('inWindow', { count: state.inWindow, window: length(windowMs) })}
      </span>
      {state.last && <LastCall call={state.last} isBelowLimit={state.inWindow < limit} />}
      {state.queued > 0 && <span>{t('queued', { count: state.queued })}</span>}
    </p>
  );
}

interface LastCallProps {
  call: DecidedCall;
  /** The last window admitted less than the limit, which alone does not explain a refusal. */
  isBelowLimit: boolean;
}

function LastCall({ call, isBelowLimit }: LastCallProps) {
  const t = useTranslations('lab.instant');
  const { time } = useLabNumbers();
  const { allowed, delayMs, remaining, retryAfterMs } = call;
  const at = time(call.at);
  if (!allowed) {
    return (
      <span className={styles.refused}>
        <X size={14} aria-hidden="true" />
        {t(isBelowLimit ? 'refusedByCount' : 'refused', { at, wait: time(retryAfterMs) })}
      </span>
    );
  }
  const Icon = delayMs > 0 ? Clock : Check;
  return (
    <span className={styles.admitted}>
      <Icon size={14} aria-hidden="true" />
      {delayMs > 0 ? t('delayed', { at, wait: time(delayMs) }) : t('admitted', { at, remaining })}
    </span>
  );
}
