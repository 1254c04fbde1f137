import type { EffectivePolicy } from '../policy/overrides';
import { createLruCache } from './create-lru-cache';
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

interface SubWindow {
  /** Counts from the epoch. */
  index: number;
  /** Units admitted in it. */
  units: number;
}

/**
 * Creates sliding counters in memory, for levels of every algorithm. They never admit more than the share in any window,
 * and take at most 101 small numbers per subject. They do not punish, because a ban on one node alone would apply to some
 * calls and not to others.
 */
export function createLocalWindows(): LocalWindows {
  const counters = createLruCache<SubWindow[]>(MAX_COUNTERS);

  return {
    decide(policy, { keys, levelIndexes, cost, now, nodes }) {
      const levels = levelIndexes.flatMap((index) => {
        const level = policy.levels[index];
        if (level?.mode !== 'enforce') return [];
        const limit = Math.max(policy.cost, Math.floor(level.limit / nodes));
        const key = keys.level(index);
        const counter = openCounter(counters.get(key) ?? [], { windowMs: level.windowMs, now });
        return [{ level: { ...level, limit, punishment: undefined }, key, counter }];
      });
      const allowed = levels.every(({ level, counter }) => counter.used + cost <= level.limit);
      if (allowed) {
        for (const { key, counter } of levels) {
          counter.add(cost);
          counters.set(key, counter.subWindows);
        }
      }
      const states = levels.map(({ level, counter }) =>
        toLevelState(level, {
          used: counter.used,
          retryAfterMs: counter.msUntilReturned(counter.used + (allowed ? 1 : cost) - level.limit),
          resetMs: counter.msUntilReturned(1),
        }),
      );
      const base = { policy: policy.name, now, levels: states, shadowRefusals: [], degraded: true };
      const refusedBy = allowed ? undefined : states.find(({ retryAfterMs }) => retryAfterMs > 0);
      if (!refusedBy) return { ...base, allowed: true, replayed: false, delayMs: 0 };
      return { ...base, allowed: false, reason: 'limited', refusedBy };
    },
  };
}

/** Opens a counter at an instant, without the sub-windows that have left the window. */
function openCounter(stored: readonly SubWindow[], { windowMs, now }: { windowMs: number; now: number }) {
  const subWindowMs = Math.ceil(windowMs / SUB_WINDOWS);
  const first = Math.floor((now - windowMs + 1) / subWindowMs);
  const subWindows = stored.filter(({ index }) => index >= first);
  const current = Math.max(Math.floor(now / subWindowMs), subWindows.at(-1)?.index ?? 0);
  return {
    subWindows,
    get used() {
      return subWindows.reduce((sum, { units }) => sum + units, 0);
    },
    add(units: number) {
      const last = subWindows.at(-1);
      if (last?.index === current) last.units += units;
      else subWindows.push({ index: current, units });
    },
    /** Returns the time until this many units have returned; 0 for no units. */
    msUntilReturned(units: number): number {
      let returned = 0;
      for (const subWindow of subWindows) {
        if (returned >= units) break;
        returned += subWindow.units;
        if (returned >= units) return (subWindow.index + 1) * subWindowMs + windowMs - 1 - now;
      }
      return 0;
    },
  };
}
