import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { stopwatch } from '../_live/clock';
import { useServerClock } from '../_live/live-provider';
import { useViewer } from '../_shell/viewer-provider';
import type { WindowState } from '../_trpc/types';
import { keyOf, type StandingRefusal } from './refusals';

type BannableWindow = Pick<
  WindowState,
  'policy' | 'level' | 'algorithm' | 'limit' | 'windowMs' | 'bannedUntil'
>;

/**
 * Takes note of a ban that the visitor's own window tells of, as they do who come back while it stands; and of its end,
 * which may come early, since it can be lifted.
 */
export function useNotedBan(window: BannableWindow | undefined): void {
  const queryClient = useQueryClient();
  const clock = useServerClock();
  const { departures } = useViewer();
  const { policy = '', level = '', algorithm = '', limit = 0, windowMs = 0, bannedUntil } = window ?? {};

  useEffect(() => {
    if (!bannedUntil) return;
    const refusedAt = clock.now();
    const retryAfterMs = bannedUntil - refusedAt;
    const ban: StandingRefusal = {
      policy,
      level,
      algorithm,
      limit,
      windowMs,
      refusedAt,
      retryAfterMs,
      againAt: stopwatch.now() + retryAfterMs,
    };
    const key = keyOf(ban, departures);
    queryClient.setQueryData<StandingRefusal>(key, ban);
    return () => void queryClient.setQueryData<StandingRefusal>(key, { ...ban, againAt: stopwatch.now() });
  }, [queryClient, clock, departures, policy, level, algorithm, limit, windowMs, bannedUntil]);
}
