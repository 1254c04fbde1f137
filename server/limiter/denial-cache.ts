import { LRUCache } from 'lru-cache';
import type { Decision, LevelState, Refused } from './decision';
import type { CallKeys } from './key';
import type { EffectivePolicy } from './overrides';

/**
 * The denials that this node knows, by which it refuses calls without sending them.
 *
 * A refused call charges nothing, so units come back by time alone: a denial stays right until its `retryAfterMs`, and
 * so does the knowledge that an admitted call took the last unit. Time is this process's monotonic clock, from the moment
 * of sending, so that the cache never denies later than right. What callers are told counts from the moment of the
 * answer, so that they never come too early; the two differ by one round trip.
 *
 * That holds while the store keeps its data and its clock. So a denial is trusted for 10 s, and then one call probes the
 * store while the others are still refused; see docs/decisions/029-denial-probes.md.
 *
 * A denial of a punishing level is a violation to count, and is never cached, nor is any of a policy that punishes;
 * a ban is. A ban may be lifted, so it is cached for a second at most.
 */
export interface DenialCache {
  /** The refusal that the store would answer with, if that is certain; `undefined` also where a probe is due. */
  findRefusal<Context>(
    policy: EffectivePolicy<Context>,
    places: readonly number[],
    keys: CallKeys,
  ): Refused | undefined;
  /** As `refusalOf`, also where a probe is due: for when the store cannot be probed. */
  findUntrustedRefusal<Context>(
    policy: EffectivePolicy<Context>,
    places: readonly number[],
    keys: CallKeys,
  ): Refused | undefined;
  /** Makes the call that is about to be sent the probe of what it finds untrusted: others are refused meanwhile. */
  startProbe<Context>(policy: EffectivePolicy<Context>, places: readonly number[], keys: CallKeys): void;
  /** Whether a level was full at its last decision, under whatever limits: if not now, it has just opened. */
  wasFull(key: string): boolean;
  /** Learns from what the store decided, asked at `sentAt` of this cache's clock. */
  update<Context>(policy: EffectivePolicy<Context>, keys: CallKeys, decision: Decision, sentAt: number): void;
}

interface Denial {
  policyVersion: number;
  reason: Refused['reason'];
  state: LevelState;
  /** Until when it denies, by the cache's clock. */
  deniesUntil: number;
  /** From when on the store is probed, by the cache's clock. */
  trustedUntil: number;
  /** When the callers may come back, by the cache's clock. */
  opensAt: number;
  /** The store's clock when the cache's was at 0. */
  storeOrigin: number;
}

/** 10,000 subjects that are refused by three levels each, or 30,000 by one: 15 MB at most. */
const MAX_DENIALS = 32_000;
const BAN_CACHED_MS = 1000;
const TRUSTED_MS = 10_000;
/** A probe that failed is repeated after this time. Longer than any decision waits for the store. */
const PROBE_MS = 1000;

export function createDenialCache({ clock }: { clock: () => number }): DenialCache {
  const denials = new LRUCache<string, Denial>({ max: MAX_DENIALS });
  let latest = Number.NEGATIVE_INFINITY;

  /** The latest instant of the clock so far: a `clock` option may run backwards, and a denial that ended stays ended. */
  function readClock(): number {
    latest = Math.max(latest, clock());
    return latest;
  }

  /** The denials of a call that have not ended, in checking order. */
  function findDenials<Context>(
    policy: EffectivePolicy<Context>,
    places: readonly number[],
    { keys, now }: { keys: CallKeys; now: number },
  ): Denial[] {
    const known: Denial[] = [];
    for (const place of places) {
      if (policy.levels[place]?.mode !== 'enforce') continue;
      const denial = denials.get(keys.level(place));
      if (denial?.policyVersion === policy.version && now < denial.deniesUntil) known.push(denial);
    }
    return known;
  }

  function cacheDenial<Context>(
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
      deniesUntil: reason === 'banned' ? Math.min(deniesUntil, sentAt + BAN_CACHED_MS) : deniesUntil,
      trustedUntil: sentAt + TRUSTED_MS,
      opensAt: answeredAt + state.retryAfterMs,
      storeOrigin: now - answeredAt,
    });
  }

  return {
    findRefusal(policy, places, keys) {
      const now = readClock();
      const known = findDenials(policy, places, { keys, now });
      const [first] = known;
      // One that is trusted makes the refusal certain, whichever is named.
      return first && known.some(({ trustedUntil }) => now < trustedUntil)
        ? toRefusal(policy.name, first, clock())
        : undefined;
    },

    findUntrustedRefusal(policy, places, keys) {
      const [first] = findDenials(policy, places, { keys, now: readClock() });
      return first && toRefusal(policy.name, first, clock());
    },

    startProbe(policy, places, keys) {
      const now = readClock();
      for (const denial of findDenials(policy, places, { keys, now })) denial.trustedUntil = now + PROBE_MS;
    },

    wasFull: (key) => denials.has(key),

    update(policy, keys, decision, sentAt) {
      const counts = policy.levels.some(({ mode, punishment }) => mode === 'enforce' && punishment);
      const keyOf = ({ level }: LevelState) =>
        keys.level(policy.levels.findIndex((one) => one.level === level));
      const { now } = decision;
      if (!decision.allowed) {
        const { refusedBy, reason } = decision;
        if (reason === 'banned')
          cacheDenial(policy, keyOf(refusedBy), { state: refusedBy, reason, now, sentAt });
        if (counts) return;
        for (const state of decision.levels) {
          if (state.retryAfterMs > 0) cacheDenial(policy, keyOf(state), { state, reason, now, sentAt });
          else denials.delete(keyOf(state));
        }
        return;
      }
      for (const state of decision.levels) {
        // `retryAfterMs` is one unit's: a call that costs more has to ask.
        const tookTheLast = state.remaining === 0 && policy.cost === 1 && !counts;
        if (tookTheLast) cacheDenial(policy, keyOf(state), { state, reason: 'limited', now, sentAt });
        else denials.delete(keyOf(state));
      }
    },
  };
}

/** Knows nothing: every call is sent. */
export const noDenialCache: DenialCache = {
  findRefusal: () => undefined,
  findUntrustedRefusal: () => undefined,
  startProbe: () => undefined,
  wasFull: () => false,
  update: () => undefined,
};

function toRefusal(
  policy: string,
  { state, reason, opensAt, storeOrigin }: Denial,
  clockNow: number,
): Refused {
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
