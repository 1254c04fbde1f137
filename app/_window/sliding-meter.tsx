'use client';

import type { LiveQueue, LiveWindow } from '../_live/live-feed';
import { useServerClock } from '../_live/live-provider';
import { countRefusedSince, MARKS_MS, noMarks, type RefusalMark } from '../_live/refusal-marks';
import { QUEUE_SHARE } from './queue-turns';
import { useWindowCount } from './use-window-count';
import { countingOf } from './window-count';
import { WindowMeter } from './window-meter';
import { WindowStrip } from './window-strip';

interface Props {
  whose: string;
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
  /**
   * Time in ms for which a full window stays shown as full after a slot is free. Default: 0. In a flood, the slot is
   * taken at once; without this delay, the meter would open and shut four times a second.
   */
  holdFullMs?: number;
  /** Announces to screen readers that the window is full. Default: true. Use false unless it counts the visitor alone. */
  isAnnounced?: boolean;
  /** The queue behind the window. */
  queue?: LiveQueue | undefined;
  /** The turn of the visitor's own ticket in that queue. */
  ownTurnAt?: number | undefined;
  /** The element id of the name and count. */
  id?: string;
}

/** From this share of the window on, the label of the visitor's ticket would be cut at the end of the lane. */
const FAR_SHARE = 0.6 * QUEUE_SHARE;

/** Shows a window that slides between two server updates, on the server's clock. */
export function SlidingMeter({
  whose,
  window,
  unknown,
  status,
  refused = noMarks,
  hasRefusedPeriod = false,
  isStale = false,
  isCountUnknown,
  isHighlighted = false,
  holdFullMs = 0,
  isAnnounced = true,
  queue,
  ownTurnAt,
  id,
}: Props) {
  const clock = useServerClock();
  const { now, used, free } = useWindowCount(window, { refused, holdFullMs });
  const isAfter = (waitMs: number) => ownTurnAt !== undefined && ownTurnAt > now + waitMs;
  const shownQueue =
    window && queue && queue.waiting > 0 && countingOf(window) === 'sliding' ? queue : undefined;
  return (
    <WindowMeter
      id={id}
      whose={whose}
      window={window}
      used={used}
      freeInMs={free === undefined ? undefined : Math.max(0, free - now)}
      bannedForMs={Math.max(0, (window?.bannedUntil ?? 0) - now)}
      waiting={shownQueue?.waiting}
      refused={window ? countRefusedSince(refused, now - window.windowMs) : 0}
      refusedInMs={window && hasRefusedPeriod ? Math.min(window.windowMs, MARKS_MS) : undefined}
      isStale={isStale}
      isCountUnknown={isCountUnknown}
      isHighlighted={isHighlighted}
      isAnnounced={isAnnounced}
      unknown={unknown}
      status={status}
      strip={
        window && (
          <WindowStrip
            window={window}
            used={used}
            clock={clock}
            isFull={free !== undefined}
            isStale={isStale}
            refused={refused}
            queue={shownQueue}
            ownTurnAt={ownTurnAt}
            isOwnFar={isAfter(FAR_SHARE * window.windowMs)}
            isOwnLater={isAfter(QUEUE_SHARE * window.windowMs)}
          />
        )
      }
    />
  );
}
