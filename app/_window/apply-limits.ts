import type { LiveLevel } from '../_live/live-feed';
import type { WindowState } from '../_trpc/types';
import { isAlgorithm } from './window-count';

/**
 * Returns windows with the limits of the live feed, which change within a second; `limit.mine` is read only after a
 * click. A window without a level in the feed, or with an unknown algorithm, is returned as it is.
 */
export function applyLiveLimits<Shown extends WindowState>(
  windows: readonly Shown[],
  levels: readonly LiveLevel[],
): Shown[] {
  return windows.map((window) => {
    const live = findLevel(levels, window);
    if (!live || !hasOtherLimit(window, live) || !isAlgorithm(live.algorithm)) return window;
    const { algorithm, limit, windowMs } = live;
    return { ...window, algorithm, limit, windowMs, remaining: Math.max(0, limit - window.used) };
  });
}

/** Returns true if the feed has another limit or mode than one of the windows. */
export function hasOtherLimits(windows: readonly WindowState[], levels: readonly LiveLevel[]): boolean {
  return windows.some((window) => {
    const live = findLevel(levels, window);
    return live !== undefined && (hasOtherLimit(window, live) || window.mode !== live.mode);
  });
}

function findLevel(levels: readonly LiveLevel[], { policy, level }: WindowState): LiveLevel | undefined {
  return levels.find((live) => live.policy === policy && live.level === level);
}

function hasOtherLimit(window: WindowState, live: LiveLevel): boolean {
  return window.limit !== live.limit || window.windowMs !== live.windowMs;
}
