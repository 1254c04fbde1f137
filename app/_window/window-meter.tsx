import { useTranslations } from 'next-intl';
import { memo, type ReactNode, useId } from 'react';
import { Announcer } from '../_components/ui/announcer';
import { classNames } from '../_components/ui/class-names';
import { Skeleton } from '../_components/ui/status';
import { formatCount } from '../_i18n/numbers';
import { useDurations, usePeriod } from '../_i18n/use-durations';
import type { LiveWindow } from '../_live/live-feed';
import { QUEUE_SHARE } from './queue-turns';
import { type Counting, countingOf, isBlocked, isEnforced } from './window-count';
import styles from './window-meter.module.css';

interface Props {
  /** The caller that the window counts. */
  whose: string;
  /** `undefined` until known. */
  window: Pick<LiveWindow, 'limit' | 'windowMs' | 'algorithm' | 'mode'> | undefined;
  /** Units in use now. */
  used: number;
  /** Time until the next unit fits; `undefined` unless the window is full and enforced. */
  freeInMs: number | undefined;
  /** Time until a ban ends; 0 without one. */
  bannedForMs: number;
  /** Shoppers who wait in the queue behind the window. Default: 0. */
  waiting?: number | undefined;
  /** Calls refused within the window's length. */
  refused: number;
  /** The period of `refused`, to state it. Default: not stated. */
  refusedInMs?: number | undefined;
  /** Newer calls may be missing. */
  isStale: boolean;
  /** The limit is known, but not the count. Default: false. */
  isCountUnknown?: boolean | undefined;
  /** The window has just refused the visitor. */
  isHighlighted: boolean;
  /** Announces to screen readers that the window is full. Each press already announces its own result. */
  isAnnounced: boolean;
  /** Shown while the window is unknown. */
  unknown: string;
  /** Replaces the status line. */
  status?: string | undefined;
  /** The drawing. */
  strip: ReactNode;
  /** The element id of its name and count. */
  id?: string | undefined;
}

/** Minimum time between announcements of a window that stays full with another limit. */
const MIN_ANNOUNCE_MS = 5_000;

/** Shows a window as a count, a drawing and a status line. Announces a full window. */
export function WindowMeter(props: Props) {
  const { whose, window, used, freeInMs, bannedForMs, refused, isStale, isHighlighted } = props;
  const { waiting = 0, refusedInMs, isAnnounced, isCountUnknown, unknown, status, strip, id } = props;
  const t = useTranslations('windows');
  const { wait, length } = useDurations();
  const formatPeriod = usePeriod();
  const nameId = useId();

  if (!window) {
    return (
      <div className={classNames(styles.window, styles.unknown)}>
        <div className={styles.head}>
          <span className={styles.whose}>{whose}</span>
        </div>
        <Skeleton shape="strip" />
        <div className={styles.foot}>{unknown}</div>
      </div>
    );
  }

  const limit = formatCount(window.limit);
  const room = formatCount(Math.max(0, window.limit - used));
  const period = formatPeriod(window.windowMs);
  const counting = countingOf(window);
  const isFull = freeInMs !== undefined;
  const count = isCountUnknown
    ? t('spokenUnknown', { whose, limit })
    : t(`${counting}.spoken`, { whose, used: formatCount(used), limit, window: period });
  const isLimiting = isEnforced(window);
  const isOnHold = isBlocked(window);
  const limited = isLimiting ? count : t(isOnHold ? 'spokenBlocked' : 'spokenNotEnforced', { spoken: count });
  const spoken = waiting > 0 ? t('spokenWaiting', { spoken: limited, count: formatCount(waiting) }) : limited;

  function statusText(): string {
    if (status) return status;
    if (isStale) return t('stale');
    if (!isLimiting) return t(isOnHold ? 'onHold' : 'notEnforced');
    if (bannedForMs > 0) return t('blocked', { time: wait(toSeconds(bannedForMs)) });
    if (waiting > 0) return t('waiting', { count: formatCount(waiting) });
    if (isFull) return t(`${counting}.full`, { time: wait(toSeconds(freeInMs)) });
    return t('room', { count: room });
  }

  function refusedText(): string {
    if (refused === 0) return '';
    if (refusedInMs === undefined) return t('refused', { count: formatCount(refused) });
    return t('refusedIn', { count: formatCount(refused), length: length(refusedInMs) });
  }

  return (
    <div
      className={classNames(
        styles.window,
        (isFull || waiting > 0 || bannedForMs > 0 || isOnHold) && styles.full,
        (bannedForMs > 0 || isOnHold) && styles.banned,
        isStale && styles.stale,
        isHighlighted && styles.highlighted,
      )}
    >
      <div id={id} className={styles.head}>
        <span id={nameId} className={styles.whose}>
          {whose}
        </span>
        <span className={styles.count}>
          <strong className={styles.number}>
            {isCountUnknown ? t('countUnknown', { limit }) : t('count', { used: formatCount(used), limit })}
          </strong>{' '}
          <span className={styles.held}>
            {t(`${counting}.held`, { window: period, length: length(window.windowMs) })}
          </span>
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers disagree on how the inside of a `meter` is styled */}
      <div
        role="meter"
        aria-valuemin={0}
        aria-valuemax={window.limit}
        aria-valuenow={Math.min(used, window.limit)}
        aria-labelledby={nameId}
        aria-valuetext={spoken}
      >
        {strip}
        <Axis counting={counting} limit={limit} windowMs={window.windowMs} hasQueue={waiting > 0} />
      </div>
      <div className={styles.foot}>
        <span className={styles.hint}>{statusText()}</span>
        <span className={styles.refused}>{refusedText()}</span>
      </div>
      {isAnnounced && (
        <Announcer
          text={isFull ? t('spokenFull', { spoken }) : ''}
          minIntervalMs={MIN_ANNOUNCE_MS}
          urgentKey={isFull}
        />
      )}
    </div>
  );
}

/** Returns the whole seconds of a countdown: rounded up, at least one. */
function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

interface AxisProps {
  counting: Counting;
  limit: string;
  windowMs: number;
  hasQueue: boolean;
}

/** Labels the strip: with time if units leave by age, else with their return. */
const Axis = memo(function Axis({ counting, limit, windowMs, hasQueue }: AxisProps) {
  const t = useTranslations('windows');
  const { wait, length } = useDurations();
  const formatPeriod = usePeriod();
  return (
    <div className={classNames(styles.axis, hasQueue && styles.withQueue)} aria-hidden="true">
      {counting === 'sliding' ? (
        <>
          <span>{t('ago', { time: length(windowMs) })}</span>
          <span>{t('now')}</span>
          {hasQueue && (
            <span style={{ flexGrow: QUEUE_SHARE }}>
              {t('in', { time: wait(toSeconds(QUEUE_SHARE * windowMs)) })}
            </span>
          )}
        </>
      ) : (
        <span>{t(`${counting}.returns`, { limit, window: formatPeriod(windowMs) })}</span>
      )}
    </div>
  );
});
