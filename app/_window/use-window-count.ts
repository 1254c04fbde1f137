import { useCallback } from 'react';
import type { LiveWindow } from '../_live/live-feed';
import { useServerClock } from '../_live/live-provider';
import type { RefusalMark } from '../_live/refusal-marks';
import { useNow } from '../_live/use-now';
import { freeAt, isEnforced, nextLeaveAt, usedAt } from './window-count';

export interface WindowCount {
  now: number;
  /** Units in use now; at least the limit while the window is full. */
  used: number;
  /** The instant when the next unit fits; `undefined` unless the window is full and enforced, and the time known. */
  free: number | undefined;
}

interface Options {
  /** Recent refusals. */
  refused: readonly RefusalMark[];
  /** Time in ms for which a full window stays full after a slot is free. */
  holdFullMs: number;
}

/**
 * Minimum time between updates, so that numbers stay readable. Longer than the 250 ms between two events of a flood, which
 * update them anyway: an update in between would cost a second frame.
 */
const MIN_UPDATE_MS = 300;
/** A full shared window stays shown as full between two events of the feed (250 ms apart) and their delay. */
export const HOLD_FULL_MS = 400;
/** The step of a countdown. */
const SECOND_MS = 1_000;
/** The time of the first render, which has no countdown. */
const UNKNOWN_TIME = 0;

/** Counts a window between two server updates, on the server's clock. */
export function useWindowCount(
  window: LiveWindow | undefined,
  { refused, holdFullMs }: Options,
): WindowCount {
  const clock = useServerClock();
  const nextAt = useCallback(
    (present: number) => window && nextChangeAt(window, { refused, present, holdFullMs }),
    [window, refused, holdFullMs],
  );
  const now = useNow({ clock, initial: UNKNOWN_TIME, nextAt });
  const isCounting = window !== undefined && isEnforced(window) && now !== UNKNOWN_TIME;
  const free = isCounting ? freeAt(window, now - holdFullMs) : undefined;
  const inside = window ? usedAt(window, now) : 0;
  const used = window && free !== undefined ? Math.max(window.limit, inside) : inside;
  return { now, used, free };
}

interface Change extends Options {
  present: number;
}

/**
 * Returns the next change of the picture: a hit or a refusal leaves, or, while the window is full or the caller banned, the
 * next step of the countdown.
 */
function nextChangeAt(window: LiveWindow, { refused, present, holdFullMs }: Change): number | undefined {
  const { bannedUntil = 0 } = window;
  if (bannedUntil > present) return nextStepTo(bannedUntil, present);
  const free = isEnforced(window) ? freeAt(window, present - holdFullMs) : undefined;
  if (free !== undefined && free <= present) return free + holdFullMs;
  // The countdown ends at one second.
  if (free !== undefined && holdFullMs > 0 && free - present <= SECOND_MS) return free + holdFullMs;
  if (free !== undefined) return nextStepTo(free, present);
  const oldestRefusal = refused.find(({ at }) => at + window.windowMs > present);
  const changes = [nextLeaveAt(window, present), oldestRefusal && oldestRefusal.at + window.windowMs].filter(
    (at) => at !== undefined,
  );
  return changes.length === 0 ? undefined : Math.max(present + MIN_UPDATE_MS, Math.min(...changes));
}

/** Returns the next instant that is a whole number of seconds before an end: the next step of its countdown. */
function nextStepTo(end: number, present: number): number {
  return end - (Math.ceil((end - present) / SECOND_MS) - 1) * SECOND_MS;
}
