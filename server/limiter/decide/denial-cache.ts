import { lru } from 'tiny-lru';
import type { EffectivePolicy } from '../policy/overrides';
import { type Denied, type LevelState, refuseBy, type StoreDecision } from './decision';
import type { ChargedCall } from './settle';

/** A call in the denial cache. */
export type CachedCall = Pick<ChargedCall, 'policy' | 'keys' | 'callLevels' | 'cost'>;

/**
 * The denial cache of a node: it refuses calls without the store.
 *
 * A refused call charges nothing, so units return by time alone. A denial is therefore valid for its `retryAfterMs`, and
 * so is the fact that an admitted call took the last unit. The cache measures this time on the clock of the process
 * (`createProcessClock`), from the time of sending, so that it never denies too long. The `retryAfterMs` of a reply counts from the
 * arrival of the store's reply, so that callers never return too early. The two differ by one round trip.
 *
 * A call in flight may end or be settled at any time, so the cache holds no denials by the number of calls in flight, none
 * of a policy that settles, and none of a shared level while the store has reservations of calls of another policy.
 *
 * This holds while the store keeps its data and its clock. So a denial is trusted for 10 s, and then one call probes the
 * store while the others are still refused:
 * https://github.com/floodgate-limiter/floodgate/blob/main/docs/decisions/029-denial-probes.md
 *
 * Tickets of a queue may leave, which opens its window at once. So a denial by a level with a queue is trusted for 1 s.
 *
 * A denial by a punishing level is a violation that must be counted. So the cache holds no denials of a policy that
 * punishes, only its bans, each for at most 1 s, because a ban may be lifted.
 */
export interface DenialCache {
  /** Returns the time by the cache's clock. */
  now(): number;
  /** Returns the refusal that the store would return, if it is certain; `undefined` also if a probe is due. */
  findRefusal(call: CachedCall): Denied | undefined;
  /** Returns the refusal also if a probe is due, for calls that found the store unavailable. */
  findUntrustedRefusal(call: CachedCall): Denied | undefined;
  /** Returns the refusal as `findRefusal` does, else makes the call the probe of its untrusted denials: it is about to be sent. */
  refuseOrProbe(call: CachedCall): Denied | undefined;
  /** Returns true if the level was full at its last decision. If it is not full now, it has just opened. */
  wasFull(key: string): boolean;
  /** Updates the cache from a decision of the store. `sentAt` is the time of sending, by the cache's clock. */
  update(call: CachedCall, decision: StoreDecision, sentAt: number): void;
}

interface Denial {
  policyVersion: number;
  /** Units of the refused call. Calls of another cost wait for another time, also those of another policy on a shared level. */
  cost: number;
  reason: Denied['reason'];
  state: LevelState;
  /** End of the denial, by the cache's clock. */
  deniesUntil: number;
  /** Start of probing, by the cache's clock. */
  trustedUntil: number;
  /** End of `retryAfterMs` for callers, by the cache's clock. */
  opensAt: number;
  /** The store's clock when the cache's was at 0. */
  storeOrigin: number;
}

/** 10,000 subjects refused by three levels each, or 30,000 by one: at most 15 MB. */
const MAX_DENIALS = 32_000;
const BAN_CACHED_MS = 1000;
/** A window with a queue opens at once when its last ticket leaves, so its denials are probed this often. */
const QUEUE_TRUSTED_MS = 1000;
const TRUSTED_MS = 10_000;
/** Minimum time before a failed probe is repeated. */
const MIN_PROBE_MS = 1000;

const NO_DENIALS: readonly Denial[] = [];

/** Creates a denial cache on a clock in ms. `timeoutMs` is the timeout of a decision, and so of a probe. */
export function createDenialCache({
  clock,
  timeoutMs,
}: {
  clock: () => number;
  timeoutMs: number;
}): DenialCache {
  const probeMs = Math.max(MIN_PROBE_MS, timeoutMs);
  const denials = lru<Denial>(MAX_DENIALS);
  let latest = Number.NEGATIVE_INFINITY;

  /** Returns the latest time so far: a `clock` option may run backwards, and an ended denial must stay ended. */
  function readClock(): number {
    latest = Math.max(latest, clock());
    return latest;
  }

  /** Returns the denials of a call that have not ended, in checking order. */
  function findDenials({ policy, keys, callLevels, cost }: CachedCall): readonly Denial[] {
    if (denials.size === 0) return NO_DENIALS;
    const now = readClock();
    const found: Denial[] = [];
    for (const index of callLevels.levelIndexes) {
      const level = policy.levels[index];
      if (level?.mode !== 'enforce') continue;
      // Another policy may have cached the denial of a shared level.
      if (level.shared !== undefined && isPunishing(policy)) continue;
      const denial = denials.get(keys.level(index));
      if (denial?.policyVersion !== policy.version || denial.cost !== cost) continue;
      if (now >= denial.deniesUntil) continue;
      // The numbers of a caller change with the plan.
      if (denial.state.limit === level.limit && denial.state.windowMs === level.windowMs) found.push(denial);
    }
    return found;
  }

  function cacheDenial(
    { policy, keys, cost }: CachedCall,
    state: LevelState,
    { reason, now, sentAt }: { reason: Denied['reason']; now: number; sentAt: number },
  ): void {
    const repliedAt = clock();
    const index = indexOf(policy, state);
    const banMs = (state.punished?.bannedUntil ?? now) - now;
    const trustedMs = policy.levels[index]?.queue ? QUEUE_TRUSTED_MS : TRUSTED_MS;
    denials.set(keys.level(index), {
      policyVersion: policy.version,
      cost,
      reason,
      state,
      // The wait of a ban may be that of the window, in which refusals after the ban are violations again.
      deniesUntil: sentAt + (reason === 'banned' ? Math.min(banMs, BAN_CACHED_MS) : state.retryAfterMs),
      trustedUntil: sentAt + trustedMs,
      opensAt: repliedAt + state.retryAfterMs,
      storeOrigin: now - repliedAt,
    });
  }

  /** Returns the refusal by denials that were just found. One trusted denial makes it certain; it names the first. */
  function refuseTrusted({ policy }: CachedCall, found: readonly Denial[]): Denied | undefined {
    const [first] = found;
    return first && found.some(({ trustedUntil }) => latest < trustedUntil)
      ? toRefusal(policy.name, first)
      : undefined;
  }

  function toRefusal(policy: string, { state, reason, opensAt, storeOrigin }: Denial): Denied {
    const clockNow = clock();
    const retryAfterMs = Math.max(1, Math.ceil(opensAt - clockNow));
    const elapsedMs = state.retryAfterMs - retryAfterMs;
    const refusedBy = { ...state, retryAfterMs, resetMs: Math.max(0, state.resetMs - elapsedMs) };
    return refuseBy(refusedBy, { policy, now: Math.floor(storeOrigin + clockNow), reason });
  }

  return {
    now: clock,

    findRefusal: (call) => refuseTrusted(call, findDenials(call)),

    findUntrustedRefusal(call) {
      const [first] = findDenials(call);
      return first && toRefusal(call.policy.name, first);
    },

    refuseOrProbe(call) {
      const found = findDenials(call);
      const refusal = refuseTrusted(call, found);
      if (!refusal) for (const denial of found) denial.trustedUntil = latest + probeMs;
      return refusal;
    },

    wasFull: (key) => denials.has(key),

    update(call, decision, sentAt) {
      const { policy, keys, cost } = call;
      const { now, allowed } = decision;
      const reason = allowed ? 'limited' : decision.reason;
      if (!allowed && reason === 'banned') cacheDenial(call, decision.refusedBy, { reason, now, sentAt });
      if (!allowed && isPunishing(policy)) return;
      for (const state of decision.levels) {
        // `retryAfterMs` is for one unit, so after an admitted call that costs more, the next call is sent.
        const denies = allowed
          ? state.remaining === 0 && cost === 1 && !isPunishing(policy)
          : state.retryAfterMs > 0;
        if (denies && endsByTime(policy, state)) cacheDenial(call, state, { reason, now, sentAt });
        else denials.delete(keys.level(indexOf(policy, state)));
      }
    },
  };
}

function isPunishing({ levels }: EffectivePolicy): boolean {
  return levels.some(({ mode, punishment }) => mode === 'enforce' && punishment);
}

/** Returns true if a denial by a level ends only by time, and not by the end of a call. */
export function endsByTime(
  { settle }: Pick<EffectivePolicy, 'settle'>,
  { algorithm, settles }: LevelState,
): boolean {
  return algorithm !== 'in-flight' && settle === undefined && !settles;
}

function indexOf({ levels }: EffectivePolicy, state: LevelState): number {
  return levels.findIndex(({ level }) => level === state.level);
}

/** A denial cache that stays empty, so that every call is sent. */
export const noDenialCache: DenialCache = {
  now: () => 0,
  findRefusal: () => undefined,
  findUntrustedRefusal: () => undefined,
  refuseOrProbe: () => undefined,
  wasFull: () => false,
  update: () => undefined,
};
