'use client';

import { useCallback } from 'react';
import type { LiveWindow } from '../_live/live-feed';
import { useServerClock } from '../_live/live-provider';
import type { RefusalMark } from '../_live/live-snapshot';
import { countRefusedSince } from '../_live/refusal-marks';
import { useNow } from '../_live/use-now';
import { freeAt, nextLeaveAt, usedAt } from './window-count';
import { WindowMeter } from './window-meter';
import { WindowStrip } from './window-strip';

interface Props {
  whose: string;
  window: LiveWindow | undefined;
  /** Shown while the window is unknown. */
  unknown: string;
  /** The window is loading. Default: true. */
  isLoading?: boolean;
  /** Recent refusals. */
  refused?: readonly RefusalMark[];
  /** Newer calls may be missing. Default: false. */
  isStale?: boolean;
  /** The window has just refused the visitor. Default: false. */
  isHighlighted?: boolean;
  /**
   * Time in ms for which a full window stays shown as full after a slot is free. Default: 0. In a flood, the slot is
   * taken at once; without this delay, the meter would open and shut four times a second.
   */
  holdFullMs?: number;
  /** Announces changes to screen readers. Default: true. Use false on a page with many meters. */
  isAnnounced?: boolean;
  /** The element id of the name and count. */
  id?: string;
}

const none: readonly RefusalMark[] = [];
/** Minimum time between updates, so that numbers stay readable. */
const MIN_UPDATE_MS = 200;

/** Shows a window that slides between two server updates, on the server's clock. */
export function SlidingMeter({
  whose,
  window,
  unknown,
  isLoading = true,
  refused = none,
  isStale = false,
  isHighlighted = false,
  holdFullMs = 0,
  isAnnounced = true,
  id,
}: Props) {
  const clock = useServerClock();
  const nextAt = useCallback(
    (present: number) => window && nextChangeAt(window, { refused, present, holdFullMs }),
    [window, refused, holdFullMs],
  );
  const now = useNow({ clock, initial: 0, nextAt });
  const free = window && freeAt(window, now - holdFullMs);
  const inside = window ? usedAt(window, now) : 0;
  const used = window && free !== undefined ? Math.max(window.limit, inside) : inside;
  return (
    <WindowMeter
      id={id}
      whose={whose}
      window={window}
      used={used}
      freeInMs={free === undefined ? undefined : Math.max(0, free - now)}
      bannedForMs={Math.max(0, (window?.bannedUntil ?? 0) - now)}
      refused={window ? countRefusedSince(refused, now - window.windowMs) : 0}
      isStale={isStale}
      isHighlighted={isHighlighted}
      isAnnounced={isAnnounced}
      unknown={unknown}
      isLoading={isLoading}
      strip={
        window && (
          <WindowStrip
            window={window}
            used={used}
            clock={clock}
            isFull={free !== undefined}
            isStale={isStale}
            refused={refused}
          />
        )
      }
    />
  );
}

interface Change {
  refused: readonly RefusalMark[];
  present: number;
  holdFullMs: number;
}

/**
 * Returns the next change of the picture: a hit or a refusal leaves, or, while the window is full, the next step of
 * the countdown.
 */
function nextChangeAt(window: LiveWindow, { refused, present, holdFullMs }: Change): number | undefined {
  const free = freeAt(window, present - holdFullMs);
  if (free !== undefined && free <= present) return free + holdFullMs;
  if (free !== undefined) return free - (Math.ceil((free - present) / MIN_UPDATE_MS) - 1) * MIN_UPDATE_MS;
  const oldestRefusal = refused.find(({ at }) => at + window.windowMs > present);
  const { bannedUntil = 0 } = window;
  const changes = [
    nextLeaveAt(window, present),
    oldestRefusal && oldestRefusal.at + window.windowMs,
    bannedUntil > present
      ? bannedUntil - (Math.ceil((bannedUntil - present) / 1_000) - 1) * 1_000
      : undefined,
  ].filter((at) => at !== undefined);
  return changes.length === 0 ? undefined : Math.max(present + MIN_UPDATE_MS, Math.min(...changes));
}
