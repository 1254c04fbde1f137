import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useServerClock } from '../_live/live-provider';
import { useTRPC } from '../_trpc/client';
import type { WindowState } from '../_trpc/types';

/** How soon who is banned hears of being let in again. */
const liftedMs = 3_000;

interface OwnWindows {
  /** Empty until they are known. */
  windows: WindowState[];
  /** They could not be read just now, so newer calls are missing in them. */
  isAway: boolean;
}

/** The windows that count this visitor. */
export function useOwnWindows(): OwnWindows {
  const trpc = useTRPC();
  const clock = useServerClock();
  const { data, isError } = useQuery({
    ...trpc.limit.mine.queryOptions(),
    // A ban may be lifted, and nobody but the server knows.
    refetchInterval: ({ state }) =>
      state.data?.windows.some(({ bannedUntil }) => bannedUntil) ? liftedMs : false,
  });

  useEffect(() => {
    if (data) clock.observe(data.serverNow);
  }, [clock, data]);

  return { windows: data?.windows ?? [], isAway: isError };
}
