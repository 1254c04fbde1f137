/** A request may wait this long for Redis, limiter and everything behind it together; the contract says under 300 ms. */
export const STORE_BUDGET_MS = 280;

/** However busy the node was, a store that answers gets this long to do so. */
const SHORTEST_WAIT_MS = 30;

/** What is left until an instant of `performance.now()`, in ms. */
export function timeLeftMs(deadline: number): number {
  return Math.max(SHORTEST_WAIT_MS, deadline - performance.now());
}
