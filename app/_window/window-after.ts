import type { LiveWindow } from '../_live/live-event';
import type { LevelState } from './parse-level-state';

interface Answer {
  state: LevelState;
  /** False for a refused call, which takes no slot. */
  admitted: boolean;
  /** The arrival time, on the clock of the drawing. */
  now: number;
}

/**
 * Returns the window that the headers describe: the number of hits and the oldest one. In between are the hits of
 * this page; for other hits it assumes the oldest instant.
 */
export function windowAfter(before: LiveWindow | undefined, { state, admitted, now }: Answer): LiveWindow {
  const { limit, windowMs, remaining, returnsMs } = state;
  const used = limit - remaining;
  const oldest = now + returnsMs - windowMs;
  const seen = [...(admitted ? [now] : []), ...(before?.hits ?? [])];
  const hits = Array.from({ length: used }, (_, index) =>
    index === used - 1 ? oldest : (seen[index] ?? oldest),
  );
  return { policy: '', level: '', limit, windowMs, used, hits };
}
