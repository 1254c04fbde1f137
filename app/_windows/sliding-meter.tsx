'use client';

import { useCallback } from 'react';
import { WindowMeter } from '../_components/window-meter';
import type { LiveWindow } from '../_live/live-event';
import { useServerClock } from '../_live/live-provider';
import type { RefusedMark } from '../_live/live-snapshot';
import { refusedSince } from '../_live/refused-marks';
import { useNow } from '../_live/use-now';
import { freeAt, nextLeaveAt, usedAt } from './sliding-window';
import { WindowStrip } from './window-strip';

interface Props {
  whose: string;
  window: LiveWindow | undefined;
  /** Said in its place while it is unknown. */
  unknown: string;
  /** It is on its way. Default: true. */
  awaited?: boolean;
  /** What it refused lately. */
  refused?: readonly RefusedMark[];
  /** Newer calls may be missing. Default: false. */
  isStale?: boolean;
  /** It has just refused a call of who looks at it. Default: false. */
  isLit?: boolean;
  id?: string;
}

const none: readonly RefusedMark[] = [];
/** Figures change no faster than they can be read, however fast the hits come: twenty a second would be drawn for nobody. */
const readableMs = 200;

/** A window that goes on sliding between two words of the server, on the server's clock. */
export function SlidingMeter({
  whose,
  window,
  unknown,
  awaited = true,
  refused = none,
  isStale = false,
  isLit = false,
  id,
}: Props) {
  const clock = useServerClock();
  const nextAt = useCallback(
    (present: number) => window && nextChangeAt(window, { refused, present }),
    [window, refused],
  );
  const now = useNow({ clock, initial: 0, nextAt });
  const used = window ? usedAt(window, now) : 0;
  const free = window && freeAt(window, now);

  return (
    <WindowMeter
      id={id}
      whose={whose}
      window={window}
      used={used}
      freeInMs={free === undefined ? undefined : free - now}
      refused={window ? refusedSince(refused, now - window.windowMs) : 0}
      isStale={isStale}
      isLit={isLit}
      unknown={unknown}
      awaited={awaited}
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
  refused: readonly RefusedMark[];
  present: number;
}

/** The picture changes when a hit or a refusal leaves; while the window is full, so does each tenth of the wait. */
function nextChangeAt(window: LiveWindow, { refused, present }: Change): number | undefined {
  const free = freeAt(window, present);
  if (free !== undefined) return free - (Math.ceil((free - present) / readableMs) - 1) * readableMs;
  const oldestRefusal = refused.find(({ at }) => at + window.windowMs > present);
  const changes = [nextLeaveAt(window, present), oldestRefusal && oldestRefusal.at + window.windowMs].filter(
    (at) => at !== undefined,
  );
  return changes.length === 0 ? undefined : Math.max(present + readableMs, Math.min(...changes));
}
