import type { LevelCall, Reading, StateAlgorithm } from './algorithm';

/** The instants of the admitted units, oldest first. Decides like lua/limiter/sliding-log.lua. */
export const slidingLog: StateAlgorithm<readonly number[]> = {
  read(log = [], call) {
    const { clock, cost, limit, windowMs } = call;
    const hits = hitsInWindow(log, call);
    const mustLeave = hits.length + Math.max(cost, 1) - limit;
    if (mustLeave > hits.length) return readingOf(log, call, windowMs);
    const last = hits[mustLeave - 1];
    return readingOf(log, call, last === undefined ? 0 : last + windowMs - clock);
  },

  charge(log = [], call) {
    const now = nowOf(log, call);
    const state = [...hitsInWindow(log, call), ...Array<number>(call.cost).fill(now)];
    const reading = readingOf(state, call, 0);
    if (reading.used >= call.limit) reading.retryAfterMs = reading.resetMs;
    return { state, reading, ttlMs: call.windowMs };
  },

  refund(log, { at, units }) {
    const first = countUntil(log, at - 1);
    const refunded = Math.min(units, countUntil(log, at) - first);
    const state = log.toSpliced(first, refunded);
    return state.length > 0 ? state : undefined;
  },

  hits(log, call, most) {
    const hits = hitsInWindow(log, call);
    return hits.slice(Math.max(0, hits.length - most));
  },
};

/** Returns the clock of a call, or the newest hit if that is later. */
export function nowOf(log: readonly number[], { clock }: Pick<LevelCall, 'clock'>): number {
  return Math.max(clock, log.at(-1) ?? 0);
}

function readingOf(log: readonly number[], call: LevelCall, retryAfterMs: number): Reading {
  const hits = hitsInWindow(log, call);
  const [oldest] = hits;
  const resetMs = oldest === undefined ? 0 : oldest + call.windowMs - call.clock;
  return { now: nowOf(log, call), used: hits.length, retryAfterMs, resetMs };
}

/** Returns the hits in the window of a call, oldest first. */
export function hitsInWindow(
  log: readonly number[],
  call: Pick<LevelCall, 'clock' | 'windowMs'>,
): readonly number[] {
  const gone = countUntil(log, nowOf(log, call) - call.windowMs);
  return gone === 0 ? log : log.slice(gone);
}

/** Returns the number of hits at or before an instant. */
function countUntil(log: readonly number[], instant: number): number {
  let from = 0;
  let to = log.length;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((log[middle] ?? 0) <= instant) from = middle + 1;
    else to = middle;
  }
  return from;
}
