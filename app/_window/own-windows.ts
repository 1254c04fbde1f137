import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { LiveLevel, LiveWindow } from '../_live/live-feed';
import { useLiveBans, useLiveLevels, useServerClock } from '../_live/live-provider';
import { useReloadOnChange } from '../_live/use-reload-on-change';
import { useTRPC } from '../_trpc/client';
import type { WindowState } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { isAlgorithm } from './window-count';

/** Poll interval of windows whose units return at a time that the browser cannot compute. */
const UNPREDICTABLE_POLL_MS = 2_000;

type OwnWindow = WindowState & { readAt: number };

export interface OwnWindows {
  /** Empty until known. */
  windows: OwnWindow[];
  /** The first read has not ended. */
  isPending: boolean;
  /** The last read failed, so newer calls are missing. */
  isUnavailable: boolean;
}

/** Returns the windows that count this visitor, as of the last call of `limit.mine`. */
export function useOwnWindows(): OwnWindows {
  const trpc = useTRPC();
  const clock = useServerClock();
  const { data, isPending, isError } = useQuery({
    ...trpc.limit.mine.queryOptions(),
    refetchInterval: ({ state }) =>
      state.data?.windows.some(isUnpredictable) ? UNPREDICTABLE_POLL_MS : false,
  });

  useEffect(() => {
    if (data) clock.observe(data.serverNow);
  }, [clock, data]);

  const windows = useMemo(
    () => data?.windows.map((window) => ({ ...window, readAt: data.serverNow })) ?? [],
    [data],
  );
  return { windows, isPending, isUnavailable: isError };
}

/** Returns the windows that count this visitor, with the limits of the live feed. Opens the feed. */
export function useLiveOwnWindows(): OwnWindows {
  const levels = useLiveLevels();
  const { windows, ...state } = useOwnWindows();
  return { windows: useMemo(() => applyLiveLimits(windows, levels), [windows, levels]), ...state };
}

/** Returns the window of a level that counts this visitor, with its limit in the live feed. */
export function useLiveOwnWindow(policy: string, level: string): OwnWindow | undefined {
  return useLiveOwnWindows().windows.find((window) => window.policy === policy && window.level === level);
}

/** Reads the windows of this visitor again when another limit or ban is in the live feed. Draws nothing. Once per page. */
export function ReloadOwnWindows() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const levels = useLiveLevels();
  const { user } = useViewer();
  const { windows } = useOwnWindows();
  const reload = () => void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
  const others = hasOtherLimits(windows, levels) ? JSON.stringify(levels) : undefined;
  const bans = useLiveBans();
  // Only users are banned.
  useReloadOnChange({ value: user ? bans : undefined, reload });
  useReloadOnChange({ value: others, initial: '', reload });
  return null;
}

/** Returns the own window of a visitor who is not signed in: its limit is in the feed. */
export function useEmptyWindow(policy: string): LiveWindow | undefined {
  const level = useLiveLevels().find((one) => one.policy === policy && one.level === 'user');
  return useMemo(() => level && { ...level, used: 0, hits: [] }, [level]);
}

/** The reads of `limit.mine` fill the window `own.read`, which no page shows: polling it would never end. */
function isUnpredictable({ policy, algorithm, used }: WindowState): boolean {
  if (policy === 'own.read') return false;
  return used > 0 && (algorithm === 'sliding-counter' || algorithm === 'fixed-window');
}

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
