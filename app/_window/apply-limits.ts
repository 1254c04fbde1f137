import type { LiveLevel } from '../_live/live-feed';
import type { WindowState } from '../_trpc/types';
import { isAlgorithm } from './window-count';

/**
 * Returns windows with the limits and modes of the live feed, which change within a second; `limit.mine` is read only after a
 * click. A window without a level in the feed, with an unknown algorithm, or with limits of this visitor alone is returned
 * as it is.
 */
export function applyLiveLimits<Shown extends WindowState>(
  windows: readonly Shown[],
  levels: readonly LiveLevel[],
): Shown[] {
  return windows.map((window) => {
    const live = findLevel(levels, window);
    if (window.personal || !live || !isOther(window, live) || !isAlgorithm(live.algorithm)) return window;
    const { algorithm, limit, windowMs } = live;
    const mode = isMode(live.mode) ? live.mode : window.mode;
    return { ...window, algorithm, limit, windowMs, mode, remaining: Math.max(0, limit - window.used) };
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
    return !window.personal && isOther(window, live);
  });
}

function findLevel(levels: readonly LiveLevel[], { policy, level }: WindowState): LiveLevel | undefined {
  return levels.find((live) => live.policy === policy && live.level === level);
}

function isOther(window: WindowState, live: LiveLevel): boolean {
  return window.limit !== live.limit || window.windowMs !== live.windowMs || window.mode !== live.mode;
}

/** Checks that a mode from the server is a known one. */
function isMode(mode: string): mode is WindowState['mode'] {
  return mode === 'enforce' || mode === 'shadow' || mode === 'off' || mode === 'block';
}
