import { levelState } from './decide-script';
import type { Decision } from './decision';
import type { CallKeys } from './key';
import type { EffectivePolicy } from './overrides';

/** This node's own windows: what a `local` policy decides by while the store is away. */
export interface LocalWindows {
  /** Of each limit this node has one part in so many `nodes`, and never less than one call. */
  decide<Context>(
    policy: EffectivePolicy<Context>,
    call: { keys: CallKeys; places: readonly number[]; now: number; nodes: number },
  ): Decision;
}

/** However many subjects there are, and however high their limits: this many hits are remembered, 8 bytes each. */
const MAX_HITS = 100_000;
/** A subject costs memory of its own, whatever its hits. */
const MAX_SUBJECTS = 10_000;

/**
 * Sliding logs in memory, whatever the algorithm of the level. Bounded: the subject heard of longest ago is forgotten
 * first, which may admit it anew. Nothing is punished here, since a ban that one node alone knows would come and go.
 */
export function createLocalWindows(): LocalWindows {
  const logs = new Map<string, number[]>();
  let hits = 0;

  function logOf(key: string, expired: number): number[] {
    const log = (logs.get(key) ?? []).filter((hit) => hit > expired);
    forget(key);
    logs.set(key, log);
    hits += log.length;
    return log;
  }

  function forget(key: string): void {
    hits -= logs.get(key)?.length ?? 0;
    logs.delete(key);
  }

  function forgetOldest(): void {
    while (logs.size > MAX_SUBJECTS || (hits > MAX_HITS && logs.size > 1)) {
      const oldest = logs.keys().next();
      if (oldest.done) return;
      forget(oldest.value);
    }
  }

  return {
    decide(policy, { keys, places, now, nodes }) {
      const levels = places.flatMap((place) => {
        const level = policy.levels[place];
        if (level?.mode !== 'enforce') return [];
        const limit = Math.max(policy.cost, Math.floor(level.limit / nodes));
        const log = logOf(keys.level(place), now - level.windowMs);
        const blocking = log[log.length + policy.cost - limit - 1];
        const retryAfterMs = blocking === undefined ? 0 : blocking + level.windowMs - now;
        return [{ level: { ...level, limit, punishment: undefined }, log, retryAfterMs }];
      });
      const allowed = levels.every(({ retryAfterMs }) => retryAfterMs === 0);
      if (allowed) {
        for (const { log } of levels) for (let unit = 0; unit < policy.cost; unit += 1) log.push(now);
        hits += policy.cost * levels.length;
      }
      forgetOldest();
      const states = levels.map(({ level, log, retryAfterMs }) =>
        levelState(level, {
          used: log.length,
          retryAfterMs,
          resetMs: log[0] === undefined ? 0 : log[0] + level.windowMs - now,
        }),
      );
      const base = { policy: policy.name, now, levels: states, shadowRefusals: [], degraded: true };
      const refusedBy = states.find(({ retryAfterMs }) => retryAfterMs > 0);
      if (!refusedBy) return { ...base, allowed: true, replayed: false, delayMs: 0 };
      return { ...base, allowed: false, reason: 'limited', refusedBy };
    },
  };
}
