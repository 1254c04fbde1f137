/** How much of a core a process may be planned with. */
export const PLANNED = 0.7;
/** Calls of a node that ask when a window opens again: `PROBES` in server/limiter/probe-guard.ts. */
export const PROBES = 4;

/**
 * Decisions in a second that one key, and so one Redis process, bears.
 *
 * @param {number} redisUs  Of one decision.
 */
export function mostOfOneKey(redisUs) {
  return (PLANNED * 1e6) / redisUs;
}

/**
 * The most calls in a second that ask Redis while a global window is full: those that are admitted, and the probes of
 * each node at each reopening, of which there are no more than units that return.
 *
 * @param {{ limit: number, windowMs: number, nodes: number }} window
 */
export function mostAsked({ limit, windowMs, nodes }) {
  return (limit / windowMs) * 1000 * (1 + PROBES * nodes);
}

/**
 * The most nodes whose probes one key bears.
 *
 * @param {{ limit: number, windowMs: number, redisUs: number }} window
 */
export function mostNodes({ limit, windowMs, redisUs }) {
  const admitted = (limit / windowMs) * 1000;
  return Math.floor((mostOfOneKey(redisUs) / admitted - 1) / PROBES);
}

/**
 * A global limit in leased shares: how many units a node takes at a time so that no more than a part of the limit lies
 * idle, and how often all nodes ask together.
 *
 * @param {{ limit: number, windowMs: number, leaseMs: number, nodes: number, idle: number }} lease
 */
export function leased({ limit, windowMs, leaseMs, nodes, idle }) {
  const share = Math.max(1, Math.floor((idle * limit) / nodes));
  const usablePerSecond = (limit / (windowMs + leaseMs)) * 1000;
  return {
    share,
    usablePerSecond,
    asksPerSecond: usablePerSecond / share,
    efficiency: windowMs / (windowMs + leaseMs),
  };
}
