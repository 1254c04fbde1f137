import type { DecideReply } from './decision';
import type { ResolvedPolicy } from './policy';

/** This node's own sliding logs: what a `local` policy decides by while the store is away. */
export interface LocalWindow {
  decide<Context>(policy: ResolvedPolicy<Context>, keys: readonly string[], now: number): DecideReply;
}

/** How many subjects are remembered; the one heard of longest ago is forgotten first. */
const MAX_SUBJECTS = 10_000;

/** A sliding log in memory, bounded in subjects; each holds at most its limit in hits. */
export function createLocalWindow(): LocalWindow {
  const logs = new Map<string, number[]>();

  function logOf(key: string): number[] {
    const log = logs.get(key) ?? [];
    logs.delete(key);
    logs.set(key, log);
    if (logs.size > MAX_SUBJECTS) {
      const oldest = logs.keys().next();
      if (!oldest.done) logs.delete(oldest.value);
    }
    return log;
  }

  return {
    decide(policy, keys, now) {
      const read = policy.levels.map((level, place) => {
        const log = logOf(keys[place] ?? '');
        while (log[0] !== undefined && log[0] <= now - level.windowMs) log.shift();
        const blocking = log[log.length + policy.cost - level.limit - 1];
        return { level, log, retryAfterMs: blocking === undefined ? 0 : blocking + level.windowMs - now };
      });
      const refusing = read.findIndex(({ retryAfterMs }) => retryAfterMs > 0);
      if (refusing === -1) {
        for (const { log } of read) for (let unit = 0; unit < policy.cost; unit++) log.push(now);
      }
      return {
        now,
        admitted: refusing === -1,
        refusing,
        replayed: false,
        levels: read.map(({ level, log, retryAfterMs }) => ({
          used: log.length,
          retryAfterMs,
          resetMs: log[0] === undefined ? 0 : log[0] + level.windowMs - now,
          hits: [...log],
        })),
      };
    },
  };
}
