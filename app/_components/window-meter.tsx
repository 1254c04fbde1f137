import { useTranslations } from 'next-intl';
import { useId } from 'react';
import { useDurations } from '../_i18n/use-durations';
import { Meter } from './ui/meter';
import { Skeleton } from './ui/skeleton';
import { Spoken } from './ui/spoken';
import styles from './window-meter.module.css';

interface Props {
  /** Whom the window counts. */
  whose: string;
  /** `undefined` until it is known. */
  window: { limit: number; windowMs: number } | undefined;
  /** Units in it now. */
  used: number;
  /** Whole seconds until the next unit fits, where it is full. */
  freeInSeconds: number | undefined;
  /** Said in its place while it is unknown. */
  unknown: string;
  /** It is on its way: keep its room. */
  awaited: boolean;
}

/** At most once in this time is a changed count spoken; being full and being open again are said at once. */
const spokenEveryMs = 5_000;

/** One window as a count, a bar and a sentence for the ears. */
export function WindowMeter({ whose, window, used, freeInSeconds, unknown, awaited }: Props) {
  const t = useTranslations('windows');
  const durations = useDurations();
  const id = useId();

  if (!window) {
    return (
      <div className={styles.window}>
        <span className={styles.whose}>{whose}</span>
        {awaited && <Skeleton shape="line" />}
        <span className={styles.hint}>{unknown}</span>
      </div>
    );
  }

  const { limit } = window;
  const length = durations.length(window.windowMs);
  const isFull = freeInSeconds !== undefined;
  const spoken = t('spoken', { whose, used, limit, window: length });
  return (
    <div className={styles.window}>
      <div className={styles.head}>
        <span id={id} className={styles.whose}>
          {whose}
        </span>
        <span className={styles.count}>
          <strong className={styles.number}>{t('count', { used, limit })}</strong>{' '}
          {t('inTheLast', { window: length })}
        </span>
      </div>
      <Meter value={used} max={limit} labelledBy={id} text={spoken} tone={isFull ? 'ember' : 'water'} />
      <span className={styles.hint}>
        {isFull
          ? t('full', { time: durations.wait(Math.max(1, freeInSeconds)) })
          : t('room', { count: limit - used })}
      </span>
      <Spoken text={spoken} everyMs={spokenEveryMs} atOnce={isFull} />
    </div>
  );
}
