import { lru } from 'tiny-lru';
import { type CounterState, slidingCounter } from '../algorithms/sliding-counter';
import type { EffectivePolicy } from '../policy/overrides';
import { type Decision, toLevelState } from './decision';
import type { CallKeys } from './key';

/** The in-memory windows of this node, by which a `local` policy decides while the store is unavailable. */
export interface LocalWindows {
  /** Decides a call within this node's share of each limit: the limit divided by `nodes`, at least one call of the greatest cost. */
  decide(
    policy: EffectivePolicy,
    call: { keys: CallKeys; levelIndexes: readonly number[]; cost: number; now: number; nodes: number },
  ): Decision;
}

/** The least recently used counter is evicted first, so its subject may be admitted again. */
const MAX_COUNTERS = 10_000;

/** A window has 100 sub-windows, so a unit returns up to a hundredth of the window late. */
const SUB_WINDOWS = 100;

/**
 * Creates sliding counters in memory, for levels of every algorithm. They never admit more than the share in any window,
 * and take at most 101 small numbers per subject. They do not punish, because a ban on one node alone would apply to some
 * calls and not to others.
 */
export function createLocalWindows(): LocalWindows {
  const counters = lru<CounterState>(MAX_COUNTERS);

  return {
    decide(policy, { keys, levelIndexes, cost, now, nodes }) {
      const levels = levelIndexes.flatMap((index) => {
        const declared = policy.levels[index];
        if (declared?.mode !== 'enforce') return [];
        const limit = Math.max(policy.cost, Math.floor(declared.limit / nodes));
        const level = { ...declared, limit, punishment: undefined };
        const call = { ...level, subWindows: SUB_WINDOWS, clock: now, cost, leaseId: '' };
        const key = keys.level(index);
        const counter = counters.get(key);
        return [{ level, call, key, counter, reading: slidingCounter.read(counter, call) }];
      });
      const refuses = levels.some(({ reading }) => reading.retryAfterMs > 0);
      const states = levels.map(({ level, call, key, counter, reading }) => {
        if (refuses) return toLevelState(level, reading);
        const charged = slidingCounter.charge(counter, call);
        counters.set(key, charged.state);
        return toLevelState(level, charged.reading);
      });
      const base = { policy: policy.name, now, levels: states, shadowRefusals: [], degraded: true };
      const refusedBy = refuses && states.find(({ retryAfterMs }) => retryAfterMs > 0);
      if (!refusedBy) return { ...base, allowed: true, replayed: false, delayMs: 0 };
      const { retryAfterMs } = refusedBy;
      return { ...base, allowed: false, reason: 'limited', refusedBy, retryAfterMs };
    },
  };
}
