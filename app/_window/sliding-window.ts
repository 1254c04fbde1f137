import type { LiveWindow } from '../_live/live-event';
import { isUnlogged, nextUnloggedChangeAt, unloggedFreeAt, unloggedUsedAt } from './unlogged-window';

/**
 * Units in the window at an instant after the server's last word: known hits leave one by one as they grow as old as the
 * window. Of a longer log only the newest 200 are known; the older ones leave before any of these does.
 */
export function usedAt(window: LiveWindow, now: number): number {
  if (isUnlogged(window)) return unloggedUsedAt(window, now);
  const { used, hits, windowMs } = window;
  const inside = hits.filter((hit) => hit + windowMs > now).length;
  const unknown = Math.max(0, used - hits.length);
  return inside === hits.length ? inside + unknown : inside;
}

/** When the count changes next by itself. */
export function nextLeaveAt(window: LiveWindow, now: number): number | undefined {
  if (isUnlogged(window)) return nextUnloggedChangeAt(window, now);
  const { hits, windowMs } = window;
  const leaving = hits.map((hit) => hit + windowMs).filter((instant) => instant > now);
  return leaving.length === 0 ? undefined : Math.min(...leaving);
}

/** When the next unit fits; `undefined` where one fits now. */
export function freeAt(window: LiveWindow, now: number): number | undefined {
  if (isUnlogged(window)) return unloggedFreeAt(window, now);
  const excess = usedAt(window, now) - window.limit;
  if (excess < 0) return undefined;
  const leaving = window.hits.map((hit) => hit + window.windowMs).filter((instant) => instant > now);
  return leaving.toSorted((a, b) => a - b)[excess];
}
