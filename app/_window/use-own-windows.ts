import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { LiveWindow } from '../_live/live-feed';
import { useLiveBans, useLiveLevels, useServerClock } from '../_live/live-provider';
import { useReloadOnChange } from '../_live/use-reload-on-change';
import { useTRPC } from '../_trpc/client';
import type { WindowState } from '../_trpc/types';
import { applyLiveLimits, hasOtherLimits } from './apply-limits';

/** Poll interval of banned windows, because a ban may be lifted early. */
const BANNED_POLL_MS = 3_000;
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
    refetchInterval: ({ state }) => {
      const windows = state.data?.windows ?? [];
      if (windows.some(isUnpredictable)) return UNPREDICTABLE_POLL_MS;
      return windows.some(({ bannedUntil }) => bannedUntil) ? BANNED_POLL_MS : false;
    },
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
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const levels = useLiveLevels();
  const { windows, ...state } = useOwnWindows();
  const reload = () => void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());

  useReloadOnChange({ value: useLiveBans(), reload });
  useReloadOnChange({
    value: hasOtherLimits(windows, levels) ? JSON.stringify(levels) : undefined,
    shown: '',
    reload,
  });

  return { windows: useMemo(() => applyLiveLimits(windows, levels), [windows, levels]), ...state };
}

/** Returns the own window of a visitor who is not signed in: its limit is in the feed. */
export function useEmptyWindow(policy: string): LiveWindow | undefined {
  const level = useLiveLevels().find((one) => one.policy === policy && one.level === 'user');
  return useMemo(() => level && { ...level, used: 0, hits: [] }, [level]);
}

function isUnpredictable({ algorithm, used }: WindowState): boolean {
  return used > 0 && (algorithm === 'sliding-counter' || algorithm === 'fixed-window');
}
