/**
 * Maximum time that a request waits for Redis, in the limiter and in its procedure together. The contract promises an
 * answer within 300 ms; the remaining 40 ms are for all other work.
 */
export const STORE_BUDGET_MS = 260;

/** The limiter's share. If a call is admitted without Redis, its procedure has the remaining 60 ms. */
export const DECISION_WAIT_MS = 200;

/** Minimum wait for the store, also on a busy node. */
const MIN_WAIT_MS = 30;

/** Returns the time left until a `performance.now()` instant, in ms, at least `MIN_WAIT_MS`. */
export function timeLeftMs(deadline: number): number {
  return Math.max(MIN_WAIT_MS, deadline - performance.now());
}
