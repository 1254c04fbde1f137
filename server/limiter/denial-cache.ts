import { LRUCache } from 'lru-cache';
import type { Decision, LevelState, Refused } from './decision';
import type { CallKeys } from './key';
import type { EffectivePolicy } from './overrides';

/**
 * What this node may refuse without asking anyone.
 *
 * A refused call charges nothing, so units come back by time alone: a denial stays right until its `retryAfterMs`, and
 * so does the knowledge that an admitted call took the last unit. Time is this process's own, which never runs
 * backwards, from the moment of sending, so that the cache never denies later than right. What callers are told counts
 * from the moment of the answer, so that they never come too early; the two differ by one round trip.
 *
 * A denial of a punishing level is a violation to count, and is never cached, nor is any of a policy that punishes;
 * a ban is. A ban may be lifted and a store emptied, so it is believed for a second at most.
 */
export interface DenialCache {
  /** The refusal that the store would answer with, if that is certain, of a call that some places of a policy count. */
  refusalOf<Context>(
    policy: EffectivePolicy<Context>,
    places: readonly number[],
    keys: CallKeys,
  ): Refused | undefined;
  /** Whether a level was full when it was last heard of, under whatever limits: if not now, it has just opened. */
  wasFull(key: string): boolean;
  /** Learns from what the store decided, asked at `sentAt` of this cache's clock. */
  learn<Context>(policy: EffectivePolicy<Context>, keys: CallKeys, decision: Decision, sentAt: number): void;
}

interface Denial {
  policyVersion: number;
  reason: Refused['reason'];
  state: LevelState;
  /** Until when it denies, by the cache's clock. */
  deniesUntil: number;
  /** When the callers may come back, by the cache's clock. */
  opensAt: number;
  /** The store's clock when the cache's was at 0. */
  storeOrigin: number;
}

const MAX_DENIALS = 10_000;
const BAN_BELIEVED_MS = 1000;

export function createDenialCache({ clock }: { clock: () => number }): DenialCache {
  const denials = new LRUCache<string, Denial>({ max: MAX_DENIALS });

  /** The refusal that is known of one level, if any. */
  function refusalBy<Context>(policy: EffectivePolicy<Context>, key: string): Refused | undefined {
    const denial = denials.get(key);
    if (denial?.policyVersion !== policy.version) return undefined;
    const now = clock();
    return now < denial.deniesUntil ? refusal(policy.name, denial, now) : undefined;
  }

  function remember<Context>(
    policy: EffectivePolicy<Context>,
    key: string,
    {
      state,
      reason,
      now,
      sentAt,
    }: { state: LevelState; reason: Refused['reason']; now: number; sentAt: number },
  ): void {
    const answeredAt = clock();
    const deniesUntil = sentAt + state.retryAfterMs;
    denials.set(key, {
      policyVersion: policy.version,
      reason,
      state,
      deniesUntil: reason === 'banned' ? Math.min(deniesUntil, sentAt + BAN_BELIEVED_MS) : deniesUntil,
      opensAt: answeredAt + state.retryAfterMs,
      storeOrigin: now - answeredAt,
    });
  }

  return {
    refusalOf(policy, places, keys) {
      for (const place of places) {
        if (policy.levels[place]?.mode !== 'enforce') continue;
        const refused = refusalBy(policy, keys.level(place));
        if (refused) return refused;
      }
      return undefined;
    },

    wasFull: (key) => denials.has(key),

    learn(policy, keys, decision, sentAt) {
      const counts = policy.levels.some(({ mode, punishment }) => mode === 'enforce' && punishment);
      const keyOf = ({ level }: LevelState) =>
        keys.level(policy.levels.findIndex((one) => one.level === level));
      const { now } = decision;
      if (!decision.allowed) {
        const { refusedBy: state, reason } = decision;
        if (!counts || reason === 'banned') remember(policy, keyOf(state), { state, reason, now, sentAt });
        return;
      }
      for (const state of decision.levels) {
        // `retryAfterMs` is one unit's: a call that costs more has to ask.
        const tookTheLast = state.remaining === 0 && policy.cost === 1 && !counts;
        if (tookTheLast) remember(policy, keyOf(state), { state, reason: 'limited', now, sentAt });
        else denials.delete(keyOf(state));
      }
    },
  };
}

/** Knows nothing: every call asks the store. */
export const noDenialCache: DenialCache = {
  refusalOf: () => undefined,
  wasFull: () => false,
  learn: () => undefined,
};

function refusal(policy: string, { state, reason, opensAt, storeOrigin }: Denial, clockNow: number): Refused {
  const retryAfterMs = Math.max(1, Math.ceil(opensAt - clockNow));
  const refusedBy = { ...state, retryAfterMs, resetMs: Math.min(state.resetMs, retryAfterMs) };
  return {
    allowed: false,
    policy,
    now: Math.floor(storeOrigin + clockNow),
    levels: [refusedBy],
    shadowRefusals: [],
    degraded: false,
    reason,
    refusedBy,
  };
}
