import { createLimiter, type Decision, type Policy, type ResolvedPolicy, resolvePolicy } from '../limiter';
import type { ScriptHost } from '../lua-scripts';

/** The product's limiter on the lab's clock. */
export interface LabLimiter {
  /**
   * Decides a call of that instant, epoch ms. Calls reach Redis in the order in which they are made here. A subject that
   * is null excludes its level; one that is missing is the level's name.
   */
  decideAt<Context>(
    now: number,
    policy: ResolvedPolicy<Context>,
    subjects?: readonly (string | null | undefined)[],
  ): Promise<Decision>;
  /** How many round trips its decisions have waited for, each counted for every decision that it carried. */
  roundTrips(): number;
  /** What Redis replied to the last script, as it came. */
  lastReply(): unknown;
}

export interface LabLimiterOptions {
  redis: ScriptHost & { readonly isCluster?: boolean };
  prefix: string;
  /** Hears of each key that a script is given. */
  onKey: (key: string) => void;
}

/** How long an experiment waits for an answer of Redis, in ms: longer than a call of the sale may. */
export const PATIENCE_MS = 5_000;

export function createLabLimiter({ redis, prefix, onKey }: LabLimiterOptions): LabLimiter {
  let now = 0;
  let decisions = 0;
  let keysOfDecisions = 0;
  let keysSent = 0;
  let lastReply: unknown;
  const limiter = createLimiter({
    redis: watchScripts(redis, {
      onRun(keys) {
        keysSent += keys.length;
        keys.forEach(onKey);
      },
      onReply(reply) {
        lastReply = reply;
      },
    }),
    prefix,
    secret: 'subjects of the lab are nobody',
    timeoutMs: PATIENCE_MS,
    clock: () => now,
    cacheDenials: false,
  });

  return {
    decideAt(instant, policy, subjects = []) {
      // The limiter reads its clock before `decide` returns.
      now = instant;
      decisions += 1;
      keysOfDecisions += policy.levels.length;
      return limiter.decide(policy, {
        subjects: policy.levels.map(({ level }, place) => {
          const subject = subjects[place];
          return subject === undefined ? level : subject;
        }),
      });
    },
    // A script may carry several decisions: what tells them apart is their keys, one for each level.
    roundTrips: () => (decisions * keysSent) / Math.max(1, keysOfDecisions),
    lastReply: () => lastReply,
  };
}

/** A policy of the lab; nobody reads its message. */
export function labPolicy(name: string, levels: Policy<unknown>['levels']): ResolvedPolicy<unknown> {
  return resolvePolicy({ name, levels, message: { en: 'Refused.' } }, name);
}

/** The same client, which tells of each script that it runs. */
function watchScripts(
  redis: ScriptHost & { readonly isCluster?: boolean },
  { onRun, onReply }: { onRun: (keys: string[]) => void; onReply: (reply: unknown) => void },
): ScriptHost & { readonly isCluster?: boolean } {
  const watched = {
    isCluster: redis.isCluster ?? false,
    defineCommand(name: string, definition: { lua: string }) {
      redis.defineCommand(name, definition);
      const command: unknown = Reflect.get(redis, name);
      if (typeof command !== 'function') throw new TypeError(`the client did not define ${name}`);
      Reflect.set(watched, name, async (keyCount: number, ...keysAndArgs: (string | number)[]) => {
        onRun(keysAndArgs.slice(0, keyCount).map(String));
        const reply: unknown = await command.call(redis, keyCount, ...keysAndArgs);
        onReply(reply);
        return reply;
      });
    },
  };
  return watched;
}
