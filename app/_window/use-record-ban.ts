import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { stopwatch } from '../_live/clock';
import { useServerClock } from '../_live/live-provider';
import { useViewer } from '../_shell/viewer-provider';
import type { WindowState } from '../_trpc/types';
import { type ActiveRefusal, refusalKey } from './refusals';

type BannableWindow = Pick<
  WindowState,
  'policy' | 'level' | 'algorithm' | 'limit' | 'windowMs' | 'bannedUntil'
>;

/**
 * Records the ban in the visitor's own window, for example after a reload, and its end, which may be early if the ban
 * is lifted.
 */
export function useRecordBan(window: BannableWindow | undefined): void {
  const queryClient = useQueryClient();
  const clock = useServerClock();
  const { signOuts } = useViewer();
  const { policy = '', level = '', algorithm = '', limit = 0, windowMs = 0, bannedUntil } = window ?? {};

  useEffect(() => {
    if (!bannedUntil) return;
    const refusedAt = clock.now();
    const retryAfterMs = bannedUntil - refusedAt;
    const ban: ActiveRefusal = {
      policy,
      level,
      algorithm,
      limit,
      windowMs,
      refusedAt,
      retryAfterMs,
      againAt: stopwatch.now() + retryAfterMs,
    };
    const key = refusalKey(ban, signOuts);
    queryClient.setQueryData<ActiveRefusal>(key, ban);
    return () => void queryClient.setQueryData<ActiveRefusal>(key, { ...ban, againAt: stopwatch.now() });
  }, [queryClient, clock, signOuts, policy, level, algorithm, limit, windowMs, bannedUntil]);
}
