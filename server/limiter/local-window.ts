import { LRUCache } from 'lru-cache';
import { toLevelState } from './codec';
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

/** The subject heard of longest ago is forgotten first, which may admit it anew. */
const MAX_COUNTERS = 10_000;

/** Into how many parts a window is cut: a unit comes back up to a hundredth of the window late. */
const SUB_WINDOWS = 100;

/** Units admitted in one part of a window; parts are numbered from the epoch. */
interface SubWindow {
  index: number;
  units: number;
}

/**
 * Sliding counters in memory, whatever the algorithm of the level: never more than the share in any window, and at most
 * 101 small numbers a subject, whatever its limit. Nothing is punished here, since a ban that one node alone knows would
 * come and go.
 */
export function createLocalWindows(): LocalWindows {
  const counters = new LRUCache<string, SubWindow[]>({ max: MAX_COUNTERS });

  return {
    decide(policy, { keys, places, now, nodes }) {
      const levels = places.flatMap((place) => {
        const level = policy.levels[place];
        if (level?.mode !== 'enforce') return [];
        const limit = Math.max(policy.cost, Math.floor(level.limit / nodes));
        const key = keys.level(place);
        const counter = openCounter(counters.get(key) ?? [], { windowMs: level.windowMs, now });
        return [{ level: { ...level, limit, punishment: undefined }, key, counter }];
      });
      const allowed = levels.every(({ level, counter }) => counter.used + policy.cost <= level.limit);
      if (allowed) {
        for (const { key, counter } of levels) {
          counter.add(policy.cost);
          counters.set(key, counter.parts);
        }
      }
      const states = levels.map(({ level, counter }) =>
        toLevelState(level, {
          used: counter.used,
          retryAfterMs: counter.waitFor(counter.used + (allowed ? 1 : policy.cost) - level.limit),
          resetMs: counter.waitFor(1),
        }),
      );
      const base = { policy: policy.name, now, levels: states, shadowRefusals: [], degraded: true };
      const refusedBy = allowed ? undefined : states.find(({ retryAfterMs }) => retryAfterMs > 0);
      if (!refusedBy) return { ...base, allowed: true, replayed: false, delayMs: 0 };
      return { ...base, allowed: false, reason: 'limited', refusedBy };
    },
  };
}

/** A counter at an instant, without the parts that have left its window. */
function openCounter(known: readonly SubWindow[], { windowMs, now }: { windowMs: number; now: number }) {
  const partMs = Math.ceil(windowMs / SUB_WINDOWS);
  const first = Math.floor((now - windowMs + 1) / partMs);
  const parts = known.filter(({ index: number }) => number >= first);
  const current = Math.max(Math.floor(now / partMs), parts.at(-1)?.index ?? 0);
  return {
    parts,
    get used() {
      return parts.reduce((sum, { units }) => sum + units, 0);
    },
    add(units: number) {
      const last = parts.at(-1);
      if (last?.index === current) last.units += units;
      else parts.push({ index: current, units });
    },
    /** Until so many units have come back; 0 where none has to. */
    waitFor(units: number): number {
      let back = 0;
      for (const part of parts) {
        if (back >= units) break;
        back += part.units;
        if (back >= units) return (part.index + 1) * partMs + windowMs - 1 - now;
      }
      return 0;
    },
  };
}
