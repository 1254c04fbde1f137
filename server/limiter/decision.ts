import type { Algorithm, ResolvedLevel, ResolvedPolicy } from './policy';

/** One level as a decision found it, after the charge if there was one. */
export interface LevelState {
  level: string;
  algorithm: Algorithm;
  limit: number;
  windowMs: number;
  /** Units in the window. */
  used: number;
  /** Units that would be admitted now; never below 0. */
  remaining: number;
  /** 0 where a unit fits now. Else: nothing else happening, 1 ms earlier it refuses and then it admits. */
  retryAfterMs: number;
  /** Time until the oldest unit returns; 0 where none is out. */
  resetMs: number;
}

/** A level with the hits in its window, for display: nothing in it but `retryAfterMs` changes by time alone. */
export interface Window extends Omit<LevelState, 'resetMs'> {
  policy: string;
  /** Epoch ms by the store's clock, the newest 200, oldest first. */
  hits: number[];
  mode: 'enforce';
}

/** What became of one call. Denied is a value; a store that does not answer is a `StoreUnavailableError`. */
export type Decision = Admitted | Refused;

export interface Admitted {
  allowed: true;
  policy: string;
  /** Epoch ms by the store's clock; by this node's where `degraded`. */
  now: number;
  levels: LevelState[];
  /** The store did not answer and the policy is open (no level is known then) or local. */
  degraded: boolean;
  /** The request id had been charged before: this call was not. */
  replayed: boolean;
}

export interface Refused {
  allowed: false;
  policy: string;
  now: number;
  levels: LevelState[];
  degraded: boolean;
  reason: 'limited' | 'banned';
  /** The first level in checking order that refuses. */
  refusedBy: LevelState;
}

/** The reply of `decide.lua`, checked. Throws where the script and this decoder disagree. */
export interface DecideReply {
  now: number;
  admitted: boolean;
  /** Index of the refusing level; -1 if none. */
  refusing: number;
  replayed: boolean;
  levels: { used: number; retryAfterMs: number; resetMs: number; hits: number[] }[];
}

/** Decodes the reply of `decide.lua`; the only place that knows its order. */
export function decodeReply(reply: unknown): DecideReply {
  if (!Array.isArray(reply)) throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
  const [now, admitted, refusing, replayed, ...levels] = reply as unknown[];
  return {
    now: integer(now),
    admitted: integer(admitted) === 1,
    refusing: integer(refusing) - 1,
    replayed: integer(replayed) === 1,
    levels: levels.map((level) => {
      if (!Array.isArray(level) || !Array.isArray(level[3])) {
        throw new TypeError(`decide.lua replied a level ${JSON.stringify(level)}`);
      }
      return {
        used: integer(level[0]),
        retryAfterMs: integer(level[1]),
        resetMs: integer(level[2]),
        hits: level[3].map(integer),
      };
    }),
  };
}

/** What is known of a level once its counts are. */
export function levelState<Context>(
  level: ResolvedLevel<Context>,
  counts: { used: number; retryAfterMs: number; resetMs: number },
): LevelState {
  return {
    level: level.level,
    algorithm: level.algorithm,
    limit: level.limit,
    windowMs: level.windowMs,
    used: counts.used,
    remaining: Math.max(0, level.limit - counts.used),
    retryAfterMs: counts.retryAfterMs,
    resetMs: counts.resetMs,
  };
}

/** Makes the decision out of the store's (or this node's) counts. */
export function toDecision<Context>(
  policy: ResolvedPolicy<Context>,
  reply: DecideReply,
  { degraded = false } = {},
): Decision {
  const levels = policy.levels.map((level, place) => {
    const counts = reply.levels[place];
    if (!counts) throw new TypeError(`decide.lua left out the level ${level.level} of ${policy.name}`);
    return levelState(level, counts);
  });
  const base = { policy: policy.name, now: reply.now, levels, degraded };
  if (reply.admitted) return { ...base, allowed: true, replayed: reply.replayed };
  const refusedBy = levels[reply.refusing];
  if (!refusedBy) throw new TypeError(`decide.lua refused ${policy.name} without naming a level`);
  return { ...base, allowed: false, reason: 'limited', refusedBy };
}

function integer(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new TypeError(`decide.lua replied ${JSON.stringify(value)} where a whole number belongs`);
  }
  return value;
}
