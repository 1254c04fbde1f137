import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { classNames } from '../_components/ui/class-names';
import { Skeleton } from '../_components/ui/skeleton';
import { Spoken } from '../_components/ui/spoken';
import { useDurations } from '../_i18n/use-durations';
import type { LiveWindow } from '../_live/live-event';
import { type Counting, countingOf } from './counting';
import styles from './window-meter.module.css';

interface Props {
  /** Whom the window counts. */
  whose: string;
  /** `undefined` until it is known. */
  window: Pick<LiveWindow, 'limit' | 'windowMs' | 'algorithm'> | undefined;
  /** Units in it now. */
  used: number;
  /** Until the next unit fits, where it is full. */
  freeInMs: number | undefined;
  /** Until a ban ends; 0 where there is none. */
  lockedForMs: number;
  /** Calls that it refused within its length. */
  refused: number;
  /** Newer calls may be missing. */
  isStale: boolean;
  /** It has just said no to who looks at it. */
  isLit: boolean;
  /** Changes are said to who listens, too. */
  isSpoken: boolean;
  /** Said in its place while it is unknown. */
  unknown: string;
  /** It is on its way. */
  awaited: boolean;
  /** The window, drawn. */
  strip: ReactNode;
  /** Of its name and count, for others to refer to. */
  id?: string | undefined;
}

/** At most once in this time is a changed count spoken; being full and being open again are said at once. */
const spokenEveryMs = 5_000;

/** One window as a count, a drawing, a line of words, and a sentence for the ears. */
export function WindowMeter(props: Props) {
  const { whose, window, used, freeInMs, lockedForMs, refused, isStale, isLit, isSpoken } = props;
  const { unknown, awaited, strip, id } = props;
  const t = useTranslations('windows');
  const durations = useDurations();
  const nameId = useId();

  if (!window) {
    return (
      <div className={styles.window}>
        <div className={styles.head}>
          <span className={styles.whose}>{whose}</span>
        </div>
        {awaited ? <Skeleton shape="strip" /> : <div className={styles.empty}>{unknown}</div>}
        <div className={styles.foot}>{awaited && unknown}</div>
      </div>
    );
  }

  const { limit } = window;
  const length = durations.length(window.windowMs);
  const counting = countingOf(window);
  const isFull = freeInMs !== undefined;
  const spoken = t(`${counting}.spoken`, { whose, used, limit, window: length });

  function words(): string {
    if (isStale) return t('stale');
    if (lockedForMs > 0) return t('locked', { time: durations.precise(lockedForMs) });
    if (isFull) return t(`${counting}.full`, { time: durations.precise(freeInMs) });
    return t('room', { count: Math.max(0, limit - used) });
  }

  return (
    <div
      className={classNames(
        styles.window,
        (isFull || lockedForMs > 0) && styles.full,
        isStale && styles.stale,
        isLit && styles.lit,
      )}
    >
      <div id={id} className={styles.head}>
        <span id={nameId} className={styles.whose}>
          {whose}
        </span>
        <span className={styles.count}>
          <strong className={styles.number}>{t('count', { used, limit })}</strong>{' '}
          {t(`${counting}.held`, { window: length })}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers disagree on how the inside of a `meter` is styled */}
      <div
        role="meter"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-labelledby={nameId}
        aria-valuetext={spoken}
      >
        {strip}
        <Axis counting={counting} limit={limit} length={length} />
      </div>
      <div className={styles.foot}>
        <span className={styles.hint}>{words()}</span>
        <span className={styles.refused}>{refused > 0 && t('refused', { count: refused })}</span>
      </div>
      {isSpoken && (
        <Spoken
          text={isFull ? t('spokenFull', { spoken }) : spoken}
          everyMs={spokenEveryMs}
          atOnce={isFull}
        />
      )}
    </div>
  );
}

/** What the strip runs over: time, where units leave by age; else how they come back. */
function Axis({ counting, limit, length }: { counting: Counting; limit: number; length: string }) {
  const t = useTranslations('windows');
  return (
    <div className={styles.axis} aria-hidden="true">
      {counting === 'sliding' ? (
        <>
          <span>{t('ago', { time: length })}</span>
          <span>{t('now')}</span>
        </>
      ) : (
        <span>{t(`${counting}.returns`, { limit, window: length })}</span>
      )}
    </div>
  );
}
