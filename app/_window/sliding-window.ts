import type { LiveWindow } from '../_live/live-event';
import { countedFreeAt, countedUsedAt, isCountedWindow, nextCountedChangeAt } from './counted-window';

/**
 * Returns the units in the window at an instant after the last server update. Known hits leave one by one. Of a
 * longer log only the newest 200 are known; the older ones leave before them.
 */
export function usedAt(window: LiveWindow, now: number): number {
  if (isCountedWindow(window)) return countedUsedAt(window, now);
  const { used, hits, windowMs } = window;
  const inside = hits.filter((hit) => hit + windowMs > now).length;
  const unknown = Math.max(0, used - hits.length);
  return inside === hits.length ? inside + unknown : inside;
}

/** Returns the instant of the next change of the count. */
export function nextLeaveAt(window: LiveWindow, now: number): number | undefined {
  if (isCountedWindow(window)) return nextCountedChangeAt(window, now);
  const { hits, windowMs } = window;
  const leaving = hits.map((hit) => hit + windowMs).filter((instant) => instant > now);
  return leaving.length === 0 ? undefined : Math.min(...leaving);
}

/** Returns the instant when the next unit fits; `undefined` if one fits now. */
export function freeAt(window: LiveWindow, now: number): number | undefined {
  if (isCountedWindow(window)) return countedFreeAt(window, now);
  const excess = usedAt(window, now) - window.limit;
  if (excess < 0) return undefined;
  const leaving = window.hits.map((hit) => hit + window.windowMs).filter((instant) => instant > now);
  return leaving.toSorted((a, b) => a - b)[excess];
}
