import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useServerClock } from '../_live/live-provider';
import { useTRPC } from '../_trpc/client';
import type { WindowState } from '../_trpc/types';

/** How soon the end of a ban that an admin lifted is noticed. */
const liftedMs = 3_000;
/** How often windows are read whose units return at a time that only the server knows. */
const unpredictableMs = 2_000;

type OwnWindow = WindowState & { readAt: number };

interface OwnWindows {
  /** Empty until they are known. */
  windows: OwnWindow[];
  /** They could not be read just now, so newer calls are missing in them. */
  isAway: boolean;
}

/** One policy, and the input by which its levels count. Keep its values plain: they are part of the query's key. */
interface Asked {
  policy: string;
  input: object;
}

/** The windows that count this visitor; with `asked`, those of one policy and an input. */
export function useOwnWindows(asked?: Asked): OwnWindows {
  const trpc = useTRPC();
  const clock = useServerClock();
  const { data, isError } = useQuery({
    ...trpc.limit.mine.queryOptions(asked),
    refetchInterval: ({ state }) => {
      const windows = state.data?.windows ?? [];
      if (windows.some(isUnpredictable)) return unpredictableMs;
      return windows.some(({ bannedUntil }) => bannedUntil) ? liftedMs : false;
    },
  });

  useEffect(() => {
    if (data) clock.observe(data.serverNow);
  }, [clock, data]);

  const windows = useMemo(
    () => data?.windows.map((window) => ({ ...window, readAt: data.serverNow })) ?? [],
    [data],
  );
  return { windows, isAway: isError };
}

function isUnpredictable({ algorithm, used }: WindowState): boolean {
  return used > 0 && (algorithm === 'sliding-counter' || algorithm === 'fixed-window');
}
