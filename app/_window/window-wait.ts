import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { stopwatch } from '../_live/clock';
import type { LiveWindow } from '../_live/live-feed';
import { useServerClock } from '../_live/live-provider';
import { useViewer } from '../_viewer/viewer-provider';
import { type PolicyRefusal, refusalKey } from './refusals';
import { freeAt, isEnforced, usedAt } from './window-count';

/** Keeps the refusal of a policy in step with each reading of one of its windows. */
export function useRecordWait(window: LiveWindow | undefined): void {
  const queryClient = useQueryClient();
  const clock = useServerClock();
  const { signOuts } = useViewer();

  useEffect(() => {
    if (!window) return;
    const key = refusalKey(window, signOuts);
    const latest = queryClient.getQueryData<PolicyRefusal>(key);
    const next = waitAfter(latest, window, { now: clock.now(), elapsed: stopwatch.now() });
    if (next !== latest) queryClient.setQueryData(key, next);
  }, [queryClient, clock, signOuts, window]);
}

/** An end that differs by less is the same: a refusal may add 300 ms, and the estimate of the server's clock moves. */
const SAME_END_MS = 500;

interface Options {
  /** The server's clock. */
  now: number;
  /** The monotonic clock. */
  elapsed: number;
}

/**
 * Returns the refusal of a policy after a reading of one of its windows. A full window of the visitor closes the buttons
 * as a refusal does, for example after a reload. A full global window does not: only a refusal offers the queue. A window
 * with room, or with room earlier, ends or shortens the wait.
 */
export function waitAfter(
  latest: PolicyRefusal | undefined,
  window: LiveWindow,
  { now, elapsed }: Options,
): PolicyRefusal | undefined {
  const { policy, level, algorithm = '', limit, windowMs, bannedUntil, hits, readAt = now } = window;
  const isWaiting = latest !== undefined && latest.retryAt > elapsed;
  // A reading from before the refusal does not have the calls that filled the window.
  if (isWaiting && (latest.level !== level || latest.refusedAt > readAt)) return latest;

  const isFull = isEnforced(window) && usedAt(window, now) >= limit;
  const end = bannedUntil ?? (isFull ? freeAt(window, now) : now);
  // Of a log that is far over its limit, only the newest hits are known.
  if (end === undefined) return latest;
  const retryAfterMs = Math.max(0, end - now);
  const retryAt = elapsed + retryAfterMs;
  const longerMs = retryAt - (isWaiting ? latest.retryAt : elapsed);
  const isSame = level === 'global' ? longerMs > -SAME_END_MS : Math.abs(longerMs) < SAME_END_MS;
  if (isSame) return latest;
  if (retryAfterMs === 0) return latest && { ...latest, retryAt, bannedUntil: undefined };
  return {
    ...{ policy, level, algorithm, limit, windowMs, bannedUntil, hits },
    ...{ refusedAt: readAt, retryAfterMs, retryAt },
  };
}
