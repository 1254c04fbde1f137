import type { LiveWindow } from '../_live/live-event';
import type { LevelState } from './level-state';

interface Answer {
  state: LevelState;
  /** A refused call takes no place. */
  admitted: boolean;
  /** When the answer came, on the clock that the window is drawn by. */
  now: number;
}

/**
 * The window that a header field describes. It tells how many hits there are and when the oldest leaves; in between
 * stand the hits that this page has seen, and for those of others the oldest of all, which is the earliest they can be.
 */
export function windowAfter(before: LiveWindow | undefined, { state, admitted, now }: Answer): LiveWindow {
  const { limit, windowMs, remaining, returnsMs } = state;
  const used = limit - remaining;
  const oldest = now + returnsMs - windowMs;
  const seen = [...(admitted ? [now] : []), ...(before?.hits ?? [])];
  const hits = Array.from({ length: used }, (_, place) =>
    place === used - 1 ? oldest : (seen[place] ?? oldest),
  );
  return { policy: '', level: '', limit, windowMs, used, hits };
}
