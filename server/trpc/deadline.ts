/**
 * A request may wait this long for Redis, limiter and everything behind it together. The contract says that it is
 * answered within 300 ms; the rest is for whatever else the answer takes.
 */
export const STORE_BUDGET_MS = 260;

/** The limiter's part of it. What stands behind the limiter in a call that was let in without Redis has the rest. */
export const DECISION_WAIT_MS = 200;

/** However busy the node was, a store that answers gets this long to do so. */
const MIN_WAIT_MS = 30;

/** What is left until an instant of `performance.now()`, in ms. */
export function timeLeftMs(deadline: number): number {
  return Math.max(MIN_WAIT_MS, deadline - performance.now());
}
