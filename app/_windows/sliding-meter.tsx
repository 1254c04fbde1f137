'use client';

import { useCallback } from 'react';
import { WindowMeter } from '../_components/window-meter';
import type { LiveWindow } from '../_live/live-event';
import { useServerClock } from '../_live/live-provider';
import { useNow } from '../_live/use-now';
import { freeAt, nextLeaveAt, usedAt } from './sliding-window';

interface Props {
  whose: string;
  window: LiveWindow | undefined;
  /** Said in its place while it is unknown. */
  unknown: string;
  /** It is on its way. Default: true. */
  awaited?: boolean;
}

/** A window that goes on sliding between two words of the server, on the server's clock. */
export function SlidingMeter({ whose, window, unknown, awaited = true }: Props) {
  const clock = useServerClock();
  const nextAt = useCallback((present: number) => window && nextChangeAt(window, present), [window]);
  const now = useNow({ clock, initial: 0, nextAt });
  const free = window && freeAt(window, now);

  return (
    <WindowMeter
      whose={whose}
      window={window}
      used={window ? usedAt(window, now) : 0}
      freeInSeconds={free === undefined ? undefined : Math.ceil((free - now) / 1_000)}
      unknown={unknown}
      awaited={awaited}
    />
  );
}

/** The count changes when a hit leaves; while the window is full, so does each second of the wait. */
function nextChangeAt(window: LiveWindow, now: number): number | undefined {
  const free = freeAt(window, now);
  if (free === undefined) return nextLeaveAt(window, now);
  return free - (Math.ceil((free - now) / 1_000) - 1) * 1_000;
}
