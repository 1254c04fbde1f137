/** Share of a core that a plan may use. */
export const PLANNED = 0.7;
/** Calls that a node sends when a window reopens: `PROBES` in server/limiter/decide/probe-guard.ts. */
export const PROBES = 4;

/**
 * Returns the maximum number of decisions per second for one key, and so for one Redis process.
 *
 * @param {number} redisUs  CPU of Redis for one decision.
 */
export function maxDecisionsPerKey(redisUs) {
  return (PLANNED * 1e6) / redisUs;
}

/**
 * Returns the maximum number of calls per second that reach Redis while a global window is full: the admitted calls, and
 * the probes of each node at each reopening. A window reopens at most once per unit that returns.
 *
 * @param {{ limit: number, windowMs: number, nodes: number }} window
 */
export function maxStoreCalls({ limit, windowMs, nodes }) {
  return (limit / windowMs) * 1000 * (1 + PROBES * nodes);
}

/**
 * Returns the maximum number of nodes whose probes one key can handle.
 *
 * @param {{ limit: number, windowMs: number, redisUs: number }} window
 */
export function maxNodes({ limit, windowMs, redisUs }) {
  const admitted = (limit / windowMs) * 1000;
  return Math.floor((maxDecisionsPerKey(redisUs) / admitted - 1) / PROBES);
}

/**
 * Plans a global limit in leased shares: the units that a node leases at a time, so that at most a share `idle` of the
 * limit is unused, and the leases per second of all nodes.
 *
 * @param {{ limit: number, windowMs: number, leaseMs: number, nodes: number, idle: number }} lease
 */
export function planLeases({ limit, windowMs, leaseMs, nodes, idle }) {
  const share = Math.max(1, Math.floor((idle * limit) / nodes));
  const usablePerSecond = (limit / (windowMs + leaseMs)) * 1000;
  return {
    share,
    usablePerSecond,
    leasesPerSecond: usablePerSecond / share,
    efficiency: windowMs / (windowMs + leaseMs),
  };
}
