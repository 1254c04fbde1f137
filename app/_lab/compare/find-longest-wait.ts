import type { DecidedCall } from '../types';

/** Finds the longest wait of a call, in ms: until a queued call starts, or until a refused call may be repeated. */
export function findLongestWait(decisions: readonly DecidedCall[]): number {
  return decisions.reduce(
    (longest, { allowed, delayMs, retryAfterMs }) => Math.max(longest, allowed ? delayMs : retryAfterMs),
    0,
  );
}
