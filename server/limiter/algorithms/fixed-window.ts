import type { StateAlgorithm } from './algorithm';

/** The newest instant, and the units of its window. */
export interface FixedWindowState {
  newest: number;
  count: number;
}

/** A counter per window since the epoch. Decides like lua/limiter/fixed-window.lua. */
export const fixedWindow: StateAlgorithm<FixedWindowState> = {
  read({ newest, count } = { newest: 0, count: 0 }, { clock, cost, limit, windowMs }) {
    const now = Math.max(clock, newest);
    const startedAt = startOf(now, windowMs);
    const used = newest >= startedAt ? count : 0;
    const endsInMs = startedAt + windowMs - clock;
    const waitMs = used + Math.max(cost, 1) > limit ? endsInMs : 0;
    return { now, used, retryAfterMs: cost > limit ? windowMs : waitMs, resetMs: used > 0 ? endsInMs : 0 };
  },

  charge(state, call) {
    const { clock, cost, limit, windowMs } = call;
    const { now, used: before } = fixedWindow.read(state, call);
    const used = before + cost;
    const resetMs = startOf(now, windowMs) + windowMs - clock;
    return {
      state: { newest: now, count: used },
      reading: { now, used, retryAfterMs: used < limit ? 0 : resetMs, resetMs },
      ttlMs: windowMs - (now % windowMs),
    };
  },

  // The window of the instant may have ended.
  refund(state, { at, units, windowMs }) {
    const { newest, count } = state;
    if (newest < at || startOf(newest, windowMs) !== startOf(at, windowMs)) return state;
    return { newest, count: Math.max(0, count - units) };
  },
};

function startOf(instant: number, windowMs: number): number {
  return instant - (instant % windowMs);
}
