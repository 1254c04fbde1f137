'use client';

import { useTranslations } from 'next-intl';
import { memo, useId } from 'react';
import { Announcer } from '../_components/ui/announcer';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Skeleton } from '../_components/ui/status';
import { formatCount } from '../_i18n/numbers';
import { useDurations, usePeriod } from '../_i18n/use-durations';
import type { LiveQueue, LiveWindow } from '../_live/live-feed';
import { countRefusedSince, MARKS_MS, noMarks, type RefusalMark } from '../_live/refusal-marks';
import { HOLD_FULL_MS, useWindowCount, type WindowCount } from './use-window-count';
import styles from './window.module.css';
import { type Counting, countingOf, isBlocked, isEnforced } from './window-count';
import { QUEUE_SHARE } from './window-drawing';
import { WindowStrip } from './window-strip';

/** The behaviour of the meter of a window, by the callers that it counts. */
const kinds = {
  /** Announces to screen readers that the window is full. */
  visitor: { holdFullMs: 0, isAnnounced: true },
  /** In a flood, a free slot is taken at once: without the delay, the meter would open and shut four times a second. */
  everyone: { holdFullMs: HOLD_FULL_MS, isAnnounced: false },
  other: { holdFullMs: 0, isAnnounced: false },
} as const;

interface Props {
  whose: string;
  /** The callers that the window counts. Default: `visitor`. */
  of?: keyof typeof kinds;
  /** `undefined` until known. */
  window: LiveWindow | undefined;
  /** Shown while the window is unknown. */
  unknown: string;
  /** Replaces the status line. */
  status?: string | undefined;
  /** Recent refusals. */
  refused?: readonly RefusalMark[];
  /** States the period of the refusals. Default: false. */
  hasRefusedPeriod?: boolean;
  /** Newer calls may be missing. Default: false. */
  isStale?: boolean;
  /** The limit is known, but not the count. Default: false. */
  isCountUnknown?: boolean;
  /** The window has just refused the visitor. Default: false. */
  isHighlighted?: boolean;
  /** The queue behind the window. */
  queue?: LiveQueue | undefined;
  /** The element id of the name and count. */
  id?: string;
}

/** Minimum time between announcements of a window that stays full with another limit. */
const MIN_ANNOUNCE_MS = 5_000;

/** Shows a window as a count, a drawing and a status line. It slides between two server updates, on the server's clock. */
export function SlidingMeter({ window, ...props }: Props) {
  const { of = 'visitor', refused = noMarks } = props;
  const count = useWindowCount(window, { refused, holdFullMs: kinds[of].holdFullMs });
  if (window) return <KnownMeter {...props} window={window} count={count} />;
  return (
    <div className={classNames(styles.meter, styles.meterUnknown)}>
      <div className={classNames(layout.words3, layout.apart)}>
        <span className={layout.strong}>{props.whose}</span>
      </div>
      <Skeleton shape="strip" />
      <div className={styles.meterFoot}>{props.unknown}</div>
    </div>
  );
}

interface KnownProps extends Omit<Props, 'unknown'> {
  window: LiveWindow;
  count: WindowCount;
}

/** Shows a window with its count at an instant. */
export function KnownMeter({ count: { now, used, free }, ...props }: KnownProps) {
  const { whose, of = 'visitor', window, status, refused = noMarks, hasRefusedPeriod = false, id } = props;
  const { isStale = false, isCountUnknown = false, isHighlighted = false } = props;
  const t = useTranslations('windows');
  const { wait, length } = useDurations();
  const formatPeriod = usePeriod();
  const nameId = useId();

  const counting = countingOf(window);
  const queue = props.queue && props.queue.waiting > 0 && counting === 'sliding' ? props.queue : undefined;
  const waiting = formatCount(queue?.waiting ?? 0);
  const limit = formatCount(window.limit);
  const bannedForMs = Math.max(0, (window.bannedUntil ?? 0) - now);
  const isFull = free !== undefined;
  const isLimiting = isEnforced(window);
  const isOnHold = isBlocked(window);

  function spokenText(): string {
    const values = { whose, used: formatCount(used), limit, window: formatPeriod(window.windowMs) };
    const count = t(isCountUnknown ? 'spokenUnknown' : `${counting}.spoken`, values);
    const limited = isLimiting
      ? count
      : t(isOnHold ? 'spokenBlocked' : 'spokenNotEnforced', { spoken: count });
    return queue ? t('spokenWaiting', { spoken: limited, count: waiting }) : limited;
  }

  function statusText(): string {
    if (status) return status;
    if (isStale) return t('stale');
    if (!isLimiting) return t(isOnHold ? 'onHold' : 'notEnforced');
    if (bannedForMs > 0) return t('blocked', { time: wait(toSeconds(bannedForMs)) });
    if (queue) return t('waiting', { count: waiting });
    if (isFull) return t(`${counting}.full`, { time: wait(toSeconds(free - now)) });
    return t('room', { count: formatCount(Math.max(0, window.limit - used)) });
  }

  function refusedText(): string {
    const count = countRefusedSince(refused, now - window.windowMs);
    if (count === 0) return '';
    if (!hasRefusedPeriod) return t('refused', { count: formatCount(count) });
    return t('refusedIn', { count: formatCount(count), length: length(Math.min(window.windowMs, MARKS_MS)) });
  }

  const spoken = spokenText();
  return (
    <div
      className={classNames(
        styles.meter,
        (isFull || queue || bannedForMs > 0 || isOnHold) && styles.meterFull,
        (bannedForMs > 0 || isOnHold) && styles.meterBanned,
        isStale && styles.meterStale,
        isHighlighted && styles.meterHighlighted,
      )}
    >
      <div id={id} className={classNames(layout.words3, layout.apart)}>
        <span id={nameId} className={layout.strong}>
          {whose}
        </span>
        <span className={styles.meterCount}>
          <strong className={styles.meterNumber}>
            {isCountUnknown ? t('countUnknown', { limit }) : t('count', { used: formatCount(used), limit })}
          </strong>{' '}
          <span className={styles.meterHeld}>
            {t(`${counting}.held`, {
              window: formatPeriod(window.windowMs),
              length: length(window.windowMs),
            })}
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
        <WindowStrip
          window={window}
          used={used}
          isFull={isFull}
          isStale={isStale}
          refused={refused}
          queue={queue}
        />
        <Axis counting={counting} limit={limit} windowMs={window.windowMs} hasQueue={queue !== undefined} />
      </div>
      <div className={styles.meterFoot}>
        <span className={styles.meterHint}>{statusText()}</span>
        <span className={styles.meterRefused}>{refusedText()}</span>
      </div>
      {kinds[of].isAnnounced && (
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
    <div className={classNames(styles.axis, hasQueue && styles.axisWithQueue)} aria-hidden="true">
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
