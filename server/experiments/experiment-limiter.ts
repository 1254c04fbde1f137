import { createHash } from 'node:crypto';
import {
  createLimiter,
  type Decision,
  type Policy,
  type ResolvedPolicy,
  type readPlans,
  resolvePolicy,
  type Subjects,
} from '../limiter/index';
import { createQueues, type Queue } from '../limiter/queue';
import type { ScriptHost } from '../limiter/stores';
import { ioredisStore } from '../limiter/stores';

/** The product's limiter on the experiment's clock. */
export interface ExperimentLimiter {
  /**
   * Decides a call at that time (epoch ms). Calls reach Redis in the order of this method's calls. The default subject of a level is its name.
   */
  decideAt<Context>(
    now: number,
    policy: ResolvedPolicy<Context>,
    subjects?: Subjects,
    plans?: ReturnType<typeof readPlans>,
  ): Promise<Decision>;
  /** Ends an admitted call at that time (epoch ms): settles its reservation and releases its lease, if it has one. */
  endAt(now: number, decision: Decision, outcome: { hasFailed: boolean }): Promise<void>;
  /** Sets the clock (epoch ms) for calls of a queue. */
  setNow(now: number): void;
  queue<Context>(policy: ResolvedPolicy<Context>): Queue;
  /** Returns the sum of round trips over all decisions. A batch counts once for each of its decisions. */
  roundTrips(): number;
  /** Returns the number of script calls. A batch is one call. */
  scriptCalls(): number;
  /** Returns the raw reply of the last script call. */
  lastReply(): unknown;
  /** Returns the units that it leases to Redis. Calls fail afterwards. */
  close(): Promise<void>;
}

export interface ExperimentLimiterOptions {
  redis: ScriptHost & { readonly isCluster?: boolean };
  prefix: string;
  /** Receives each key that is passed to a script. */
  onKey: (key: string) => void;
  /** Number of nodes. While the store is down, a `local` policy admits this part of its limit. Default: 1. */
  nodes?: number;
  /** Timeout of a call, in ms. Default: `REPLY_TIMEOUT_MS`. A lease lasts for at least twice as long. */
  timeoutMs?: number;
}

/** Reply timeout of an experiment, longer than the timeout of a call in the sale. */
export const REPLY_TIMEOUT_MS = 5_000;

/**
 * Builds a limiter with a settable clock, which starts at 0, and without a denial cache. It counts its script calls'
 * keys.
 */
export function createExperimentLimiter({
  redis,
  prefix,
  onKey,
  nodes = 1,
  timeoutMs = REPLY_TIMEOUT_MS,
}: ExperimentLimiterOptions): ExperimentLimiter {
  let now = 0;
  let decisions = 0;
  let keysOfDecisions = 0;
  let keysSent = 0;
  let scriptCalls = 0;
  let lastReply: unknown;
  const limiter = createLimiter({
    queues: createQueues,
    store: ioredisStore(
      observeScripts(redis, {
        onCall(keys) {
          scriptCalls += 1;
          keysSent += keys.length;
          keys.forEach(onKey);
        },
        onReply(reply) {
          lastReply = reply;
        },
      }),
    ),
    prefix,
    secret: 'subjects of experiments are synthetic',
    timeoutMs,
    clock: () => now,
    cacheDenials: false,
    nodes: () => nodes,
  });

  return {
    decideAt(instant, policy, subjects = {}, plans = undefined) {
      // The limiter reads its clock synchronously in `decide`.
      now = instant;
      decisions += 1;
      keysOfDecisions += policy.levels.length;
      const defaults = Object.fromEntries(policy.levels.map(({ level }) => [level, level]));
      const named: Record<string, Subjects[string]> = { ...defaults, ...subjects };
      if (typeof named.ip === 'string') named.ip = toAddress(named.ip);
      return limiter.decide(policy, { subjects: named, plans });
    },
    async endAt(instant, decision, { hasFailed }) {
      if (!decision.allowed) return;
      const { lease, reservation } = decision;
      const outcome = hasFailed
        ? { ok: false as const, error: new Error('The procedure failed.') }
        : { ok: true as const, data: undefined };
      now = instant;
      await Promise.all([
        reservation && limiter.settle(reservation, outcome),
        lease && limiter.release(lease),
      ]);
    },
    setNow(instant) {
      now = instant;
    },
    queue: (policy) => limiter.queue(policy),
    // A batch holds several decisions. Its number of keys, one for each level, gives their number.
    roundTrips: () => (decisions * keysSent) / Math.max(1, keysOfDecisions),
    scriptCalls: () => scriptCalls,
    lastReply: () => lastReply,
    close: limiter.close,
  };
}

/** Returns an address for a caller that an experiment names by any text, because the level `ip` counts addresses. */
function toAddress(caller: string): string {
  const bits = createHash('sha256').update(caller).digest('hex');
  return `fd${bits.slice(0, 2)}:${bits.slice(2, 6)}:${bits.slice(6, 10)}:${bits.slice(10, 14)}::`;
}

/** Creates a policy for an experiment. Its message is never shown. */
export function experimentPolicy(name: string, levels: Policy<unknown>['levels']): ResolvedPolicy<unknown> {
  return resolvePolicy({ name, levels, message: { en: 'Refused.' } }, name);
}

/** A recent date, so that stored timestamps have a realistic length. */
const BASE_INSTANT = Date.UTC(2026, 0, 1);

/** Returns the epoch ms of 0 on the experiment's clock, an edge of the fixed windows of that length. */
export function clockOrigin(windowMs: number): number {
  return Math.ceil(BASE_INSTANT / windowMs) * windowMs;
}

/** Wraps a client so that callbacks receive the keys and the reply of each script call. */
function observeScripts(
  redis: ScriptHost & { readonly isCluster?: boolean },
  { onCall, onReply }: { onCall: (keys: string[]) => void; onReply: (reply: unknown) => void },
): ScriptHost & { readonly isCluster?: boolean } {
  const observed = {
    isCluster: redis.isCluster ?? false,
    defineCommand(name: string, definition: { lua: string }) {
      redis.defineCommand(name, definition);
      const command: unknown = Reflect.get(redis, name);
      if (typeof command !== 'function') throw new TypeError(`the client did not define ${name}`);
      Reflect.set(observed, name, async (keyCount: number, ...keysAndArgs: (string | number)[]) => {
        onCall(keysAndArgs.slice(0, keyCount).map(String));
        const reply: unknown = await command.call(redis, keyCount, ...keysAndArgs);
        onReply(reply);
        return reply;
      });
    },
  };
  return observed;
}
