import type { LevelCall, Numbers, StateAlgorithm } from './algorithm';

/** The used units at the newest instant, in unit x windowMs, and the numbers at the last admitted call. */
export interface BucketState {
  newest: number;
  used: number;
  windowMs: number;
  limit: number;
}

/** Used units return evenly, `limit` per window. Decides like lua/limiter/bucket.lua. */
export const bucket: StateAlgorithm<BucketState> = {
  read(state, call) {
    const { clock, cost, limit, windowMs } = call;
    const { now, scaledUsed, rate } = contentOf(state, call);
    const used = Math.ceil(scaledUsed / windowMs);
    const mustReturn = scaledUsed - (limit - Math.max(cost, 1)) * windowMs;
    const waitMs = mustReturn > 0 ? now + Math.ceil(mustReturn / rate) - clock : 0;
    return {
      now,
      used,
      retryAfterMs: cost > limit ? windowMs : waitMs,
      resetMs: used > 0 ? now + Math.ceil((scaledUsed - (used - 1) * windowMs) / rate) - clock : 0,
    };
  },

  charge(before, call) {
    const { limit, windowMs } = call;
    const { now, scaledUsed } = contentOf(before, call);
    const state = { newest: now, used: scaledUsed + call.cost * windowMs, windowMs, limit };
    return { state, reading: bucket.read(state, { ...call, cost: 0 }), ttlMs: Math.ceil(state.used / limit) };
  },

  hasOtherNumbers: (state, { limit, windowMs }) => state.windowMs !== windowMs || state.limit !== limit,

  maxUsed: ({ windowMs }) => Math.floor(2 ** 53 / windowMs),

  // Of the reserved units, `limit` per window have returned by time, and those that stay used first.
  refund(state, { at, units, reserved, clock, limit, windowMs }) {
    if (state.newest < at) return state;
    const now = Math.max(clock, state.newest);
    const notReturned = Math.max(0, reserved * windowMs - (now - at) * limit);
    const refunded = Math.min(units * windowMs, notReturned);
    const used = Math.max(0, state.used - (now - state.newest) * limit - refunded);
    return { ...state, newest: now, used };
  },
};

/** Returns the time until all used units have returned: the delay of a call in a leaky bucket. */
export function emptyInMs(state: BucketState | undefined, call: LevelCall): number {
  const { now, scaledUsed, rate } = contentOf(state, call);
  return now + Math.ceil(scaledUsed / rate) - call.clock;
}

/** Returns the used units at the instant of a call, and how much of them returns per millisecond. */
function contentOf(state: BucketState | undefined, { clock, limit, windowMs }: Numbers & { clock: number }) {
  const { newest, used, ...former } = state ?? { newest: 0, used: 0, limit, windowMs };
  const now = Math.max(clock, newest);
  const rate = Math.max(limit, former.limit);
  const scaled = former.windowMs === windowMs ? used : Math.ceil(used / former.windowMs) * windowMs;
  return { now, rate, scaledUsed: Math.max(0, scaled - (now - newest) * rate) };
}
