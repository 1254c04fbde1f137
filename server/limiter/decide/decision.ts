import type { EffectiveLevel } from '../policy/overrides';
import type { LevelAlgorithm, Mode, ResolvedPolicy } from '../policy/policy';
import type { LevelSubject } from '../policy/subject';
import type { DecideReply } from '../stores/store';
import type { StoreUnavailableError } from '../stores/store-error';
import type { CallKeys } from './key';
import type { Lease } from './lease';
import type { Reservation } from './settle';

/** The outcome of one call. A refusal is a value; an unavailable store is a `StoreUnavailableError`. */
export type Decision = Admitted | Refused;

interface DecisionBase {
  policy: string;
  /** Epoch ms by the store's clock; by this node's clock if `degraded`. */
  now: number;
  /**
   * The enforced levels, in checking order. A refusal from the denial cache has only the refusing level, one by a blocked
   * level has none.
   */
  levels: readonly LevelState[];
  /** Names of the shadow levels that would have refused. */
  shadowRefusals: readonly string[];
  /** True if the store was unavailable and the policy is open (then without levels) or local. */
  degraded: boolean;
}

export interface Admitted extends DecisionBase {
  allowed: true;
  /** True if the request id had been charged before; this call was not charged. */
  replayed: boolean;
  /** True if the request id had been charged with another input. Internal: `Limiter.decide` throws then. */
  hasOtherInput?: boolean;
  /** Time until the start of the call in a leaky bucket; 0 otherwise. */
  delayMs: number;
  /** Only if a level counts calls in flight: pass it to `Limiter.release` at the end of the call. */
  lease?: Lease;
  /** Only if the policy settles: pass it to `Limiter.settle` at the end of the call. */
  reservation?: Reservation;
}

/** The outcome of a call that the store decides. */
export type StoreDecision = Admitted | Denied;

/** A refused call. Only a blocked one has no known time to retry. */
export type Refused = Denied | Blocked;

/** A refusal by a full window or a ban. */
export interface Denied extends DecisionBase {
  allowed: false;
  reason: 'limited' | 'banned';
  /** The first level in checking order that refuses. */
  refusedBy: LevelState;
  /** Of the level that refused; see `LevelState.retryAfterMs`. */
  retryAfterMs: number;
}

/** A refusal by a level in mode `block`. It charges nothing and is no violation. */
export interface Blocked extends DecisionBase {
  allowed: false;
  reason: 'blocked';
  /** The first level in checking order that is blocked, or that denies the subject. */
  refusedBy: BlockedLevel;
  /** Only an operator ends a block, so no time is known. */
  retryAfterMs: null;
}

/** The state of a blocked level. Its window is not read. */
export interface BlockedLevel extends Omit<LevelState, 'retryAfterMs'> {
  /** Only an operator ends a block, so no time is known. */
  retryAfterMs: null;
}

/** The state of one level, after the charge if there was one. */
export interface LevelState {
  level: string;
  algorithm: LevelAlgorithm;
  /** Of `in-flight`: the calls at the same time. */
  limit: number;
  /** Of `in-flight`: the lease. */
  windowMs: number;
  /** Units in the window. */
  used: number;
  /** Units that would be admitted now; never below 0. */
  remaining: number;
  /**
   * Time until the level admits one unit, exact to the millisecond if no other call is charged; 0 if it admits one now. Of
   * `in-flight`: the time until a lease ends; a call that ends earlier makes room earlier. So does a call that settles.
   */
  retryAfterMs: number;
  /** Time until the oldest unit returns; 0 if none is used. */
  resetMs: number;
  /** Only of a shared level: true if a call of another policy that settles may end the wait earlier. */
  settles?: true;
  /** Only where the level punishes. */
  punished?: Punished;
}

/** The violations and ban of a subject at a punishing level. */
export interface Punished {
  /** Refusals that have not lapsed. */
  violations: number;
  /** True from the violation `warnAt` on. */
  warning: boolean;
  /** Epoch ms by the store's clock; null without an active ban. */
  bannedUntil: number | null;
}

/** A level with the hits in its window, for display. Between calls, only `retryAfterMs` changes. */
export interface Window extends Omit<LevelState, 'resetMs' | 'punished'> {
  policy: string;
  /** Epoch ms by the store's clock: the newest 200, oldest first. Empty unless the algorithm is a sliding log. */
  hits: number[];
  mode: Mode;
  /** Epoch ms; only during a ban. */
  bannedUntil?: number;
  /** True if the limit, the window or the mode is the subject's own; otherwise absent. */
  personal?: true;
  /** The version of the level's override, which changes with each override of one of its subjects; absent without any. */
  version?: number;
}

/** A decided call, for metrics. */
export interface DecisionOutcome {
  policy: string;
  /** `undefined` if the store is unavailable and the policy is closed. */
  decision: Decision | undefined;
  durationMs: number;
  /** The subject of each level of the policy, in its order. */
  counted: readonly CountedSubject[];
  source: DecisionSource;
  /** The error of the store, if it failed. Its `kind` is of a closed list, for a metric. */
  error?: StoreUnavailableError | undefined;
}

/**
 * The part that decided a call: the `store`; the `cache` of denials; a `lease`, by units that this node held; or this node alone (`local`): by a mode, by a rule for one
 * subject, because no level takes part, or because the store is unavailable. A call that failed has the source `store`.
 */
export type DecisionSource = 'store' | 'cache' | 'lease' | 'local';

/** A subject of a decided call. */
export interface CountedSubject {
  level: string;
  /** Its pseudonym in keys; `all` for the level `global`. */
  pseudonym: string;
  /** Personal data: store only its mask. `undefined` if the call has no such subject. */
  subject: string | undefined;
}

/** Returns the subject of each level of a policy, for metrics. */
export function listCountedSubjects(
  { levels }: ResolvedPolicy,
  { keys, subjects }: { keys: CallKeys; subjects: readonly LevelSubject[] },
): CountedSubject[] {
  return levels.map(({ level }, index) => ({
    level,
    pseudonym: keys.pseudonym(index),
    subject: subjects[index] ?? undefined,
  }));
}

/** Returns the state of a level from its counts. */
export function toLevelState(
  level: EffectiveLevel,
  counts: { used: number; retryAfterMs: number; resetMs: number; violations?: number; bannedUntil?: number },
): LevelState {
  const { level: name, algorithm, limit, windowMs, punishment } = level;
  const { used, retryAfterMs, resetMs, violations = 0, bannedUntil = 0 } = counts;
  const remaining = bannedUntil ? 0 : Math.max(0, limit - used);
  const state = { level: name, algorithm, limit, windowMs, used, remaining, retryAfterMs, resetMs };
  if (!punishment) return state;
  const warning = violations >= punishment.warnAt;
  return { ...state, punished: { violations, warning, bannedUntil: bannedUntil > 0 ? bannedUntil : null } };
}

/** Returns the decision of a call in which no level takes part. */
export function admitUncounted(policy: string, now: number): Admitted {
  return {
    policy,
    now,
    allowed: true,
    levels: [],
    shadowRefusals: [],
    degraded: false,
    replayed: false,
    delayMs: 0,
  };
}

/** Returns a refusal that this node makes without the store. No spread; see `toDecision`. */
export function refuseBy(
  refusedBy: LevelState,
  { policy, now, reason }: Pick<Denied, 'policy' | 'now' | 'reason'>,
): Denied {
  return {
    policy,
    now,
    allowed: false,
    reason,
    refusedBy,
    retryAfterMs: refusedBy.retryAfterMs,
    levels: [refusedBy],
    shadowRefusals: [],
    degraded: false,
  };
}

/** Returns the refusal by a blocked level. */
export function refuseBlocked(
  { level, algorithm, limit, windowMs }: EffectiveLevel,
  { policy, now }: Pick<Blocked, 'policy' | 'now'>,
): Blocked {
  return {
    policy,
    now,
    allowed: false,
    reason: 'blocked',
    refusedBy: { level, algorithm, limit, windowMs, used: 0, remaining: 0, retryAfterMs: null, resetMs: 0 },
    retryAfterMs: null,
    levels: [],
    shadowRefusals: [],
    degraded: false,
  };
}

/** Returns the decision of the store. Throws if the reply does not fit the levels. */
export function toDecision(
  policy: string,
  levels: readonly EffectiveLevel[],
  reply: DecideReply,
): StoreDecision {
  const { now, outcome } = reply;
  const enforced: LevelState[] = [];
  const shadowRefusals: string[] = [];
  let delayMs = 0;
  let refusedBy: LevelState | undefined;
  for (let index = 0; index < levels.length; index += 1) {
    const level = levels[index];
    const read = reply.levels[index];
    if (!level || !read) throw new TypeError(`the store replied ${JSON.stringify(reply)} for ${policy}`);
    if (level.mode === 'enforce') {
      const state = toLevelState(level, read);
      if (read.settles) state.settles = true;
      enforced.push(state);
      delayMs = Math.max(delayMs, read.delayMs);
      if (read.refuses) refusedBy ??= state;
    } else if (read.refuses) shadowRefusals.push(level.level);
  }
  // A literal of all fields, because a spread is slow.
  const degraded = false;
  if (outcome !== 'refused') {
    const replayed = outcome !== 'admitted';
    const admitted: Admitted = {
      policy,
      now,
      allowed: true,
      levels: enforced,
      shadowRefusals,
      degraded,
      replayed,
      delayMs,
    };
    return outcome === 'conflict' ? { ...admitted, hasOtherInput: true } : admitted;
  }
  if (!refusedBy) throw new TypeError(`the store refused ${policy} without naming a level`);
  const reason = refusedBy.punished?.bannedUntil ? 'banned' : 'limited';
  const { retryAfterMs } = refusedBy;
  return {
    policy,
    now,
    allowed: false,
    reason,
    refusedBy,
    retryAfterMs,
    levels: enforced,
    shadowRefusals,
    degraded,
  };
}
