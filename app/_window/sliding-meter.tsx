'use client';

import { useCallback } from 'react';
import type { LiveWindow } from '../_live/live-event';
import { useServerClock } from '../_live/live-provider';
import type { RefusedMark } from '../_live/live-snapshot';
import { refusedSince } from '../_live/refused-marks';
import { useNow } from '../_live/use-now';
import { freeAt, nextLeaveAt, usedAt } from './sliding-window';
import { WindowMeter } from './window-meter';
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
  /**
   * How long a full window is still shown as full after its next slot is free, in ms. Default: 0. In a flood somebody has
   * that slot at once; a meter that said so only with the next word of the feed would open and shut four times a second.
   */
  staysFullMs?: number;
  /** Changes are said to who listens, too. Default: true; a page of many meters would never be silent. */
  isSpoken?: boolean;
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
  staysFullMs = 0,
  isSpoken = true,
  id,
}: Props) {
  const clock = useServerClock();
  const nextAt = useCallback(
    (present: number) => window && nextChangeAt(window, { refused, present, staysFullMs }),
    [window, refused, staysFullMs],
  );
  const now = useNow({ clock, initial: 0, nextAt });
  const free = window && freeAt(window, now - staysFullMs);
  const inside = window ? usedAt(window, now) : 0;
  const used = window && free !== undefined ? Math.max(window.limit, inside) : inside;

  return (
    <WindowMeter
      id={id}
      whose={whose}
      window={window}
      used={used}
      freeInMs={free === undefined ? undefined : Math.max(0, free - now)}
      lockedForMs={Math.max(0, (window?.bannedUntil ?? 0) - now)}
      refused={window ? refusedSince(refused, now - window.windowMs) : 0}
      isStale={isStale}
      isLit={isLit}
      isSpoken={isSpoken}
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
  staysFullMs: number;
}

/** The picture changes when a hit or a refusal leaves; while the window is full, so does each tenth of the wait. */
function nextChangeAt(window: LiveWindow, { refused, present, staysFullMs }: Change): number | undefined {
  const free = freeAt(window, present - staysFullMs);
  if (free !== undefined && free <= present) return free + staysFullMs;
  if (free !== undefined) return free - (Math.ceil((free - present) / readableMs) - 1) * readableMs;
  const oldestRefusal = refused.find(({ at }) => at + window.windowMs > present);
  const { bannedUntil = 0 } = window;
  const changes = [
    nextLeaveAt(window, present),
    oldestRefusal && oldestRefusal.at + window.windowMs,
    bannedUntil > present
      ? bannedUntil - (Math.ceil((bannedUntil - present) / 1_000) - 1) * 1_000
      : undefined,
  ].filter((at) => at !== undefined);
  return changes.length === 0 ? undefined : Math.max(present + readableMs, Math.min(...changes));
}
