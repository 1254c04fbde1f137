import type { LiveLevel } from '../_live/live-feed';
import type { WindowState } from '../_trpc/types';
import { isAlgorithm } from './window-count';

/**
 * Returns windows with the limits of the live feed, which change within a second; `limit.mine` is read only after a
 * click. A window without a level in the feed, with an unknown algorithm, or with limits of this visitor alone is returned
 * as it is.
 */
export function applyLiveLimits<Shown extends WindowState>(
  windows: readonly Shown[],
  levels: readonly LiveLevel[],
): Shown[] {
  return windows.map((window) => {
    const live = findLevel(levels, window);
    if (window.personal || !live || !hasOtherLimit(window, live) || !isAlgorithm(live.algorithm))
      return window;
    const { algorithm, limit, windowMs } = live;
    return { ...window, algorithm, limit, windowMs, remaining: Math.max(0, limit - window.used) };
  });
}

/**
 * Returns true if the feed has another limit or mode than one of the windows, or if an override of the level, or of one of
 * its subjects, has changed since the window was read.
 */
export function hasOtherLimits(windows: readonly WindowState[], levels: readonly LiveLevel[]): boolean {
  return windows.some((window) => {
    const live = findLevel(levels, window);
    if (!live) return false;
    // An older node, during an update, sends no version.
    if (live.version !== undefined && live.version !== (window.version ?? 0)) return true;
    return !window.personal && (hasOtherLimit(window, live) || window.mode !== live.mode);
  });
}

function findLevel(levels: readonly LiveLevel[], { policy, level }: WindowState): LiveLevel | undefined {
  return levels.find((live) => live.policy === policy && live.level === level);
}

function hasOtherLimit(window: WindowState, live: LiveLevel): boolean {
  return window.limit !== live.limit || window.windowMs !== live.windowMs;
}
