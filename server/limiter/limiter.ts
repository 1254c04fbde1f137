import { defineScript, type ScriptHost } from '../lua-scripts';
import { type Decision, decodeReply, levelState, toDecision, type Window } from './decision';
import { type KeyMaker, keysOf } from './key';
import { createLocalWindow } from './local-window';
import type { ResolvedPolicy } from './policy';
import { StoreUnavailableError, withinStoreTimeout } from './store-timeout';

export interface LimiterOptions {
  /**
   * An ioredis client that fails at once when it is disconnected and never sends a command twice
   * (`enableOfflineQueue: false`, `maxRetriesPerRequest: 0`, `autoResendUnfulfilledCommands: false`).
   */
  redis: ScriptHost;
  /** Keys the HMACs that stand for subjects in keys; the same on every node. */
  secret: string;
  /** Begins every key. Default: `floodgate:limit:`. */
  prefix?: string;
  /** How long one decision may wait for the store, in ms. Default: 250. */
  timeoutMs?: number;
  /** Epoch ms in place of the store's own clock, for tests and simulation. Default: the store's clock. */
  clock?: () => number;
  /** Told of every decision, for metrics; must not throw. */
  onDecision?: (outcome: DecisionOutcome) => void;
}

/** What an observer learns of a call: its decision, or `undefined` where the store did not answer and the policy is closed. */
export interface DecisionOutcome {
  policy: string;
  decision: Decision | undefined;
  durationMs: number;
  /** The error of the store, where it failed. */
  cause?: unknown;
}

/** A call to decide: one subject per level, in the policy's order. */
export interface DecideOptions {
  subjects: readonly string[];
  /** The identity of a retried call; see `Policy.requestId`. */
  requestId?: string | undefined;
}

/** Decides calls by their policies, exactly, on any number of nodes that share one store. */
export interface Limiter {
  /** Charges all levels or none. Throws `StoreUnavailableError` where the store is away and the policy is closed. */
  decide<Context>(policy: ResolvedPolicy<Context>, options: DecideOptions): Promise<Decision>;
  /** The windows of a policy's levels as they stand. Charges nothing. Throws `StoreUnavailableError`. */
  peek<Context>(
    policy: ResolvedPolicy<Context>,
    options: { subjects: readonly string[]; levels?: readonly number[] },
  ): Promise<{ now: number; windows: Window[] }>;
}

/** How long a charged request id is remembered: 24 hours. */
const REQUEST_TTL_MS = 24 * 60 * 60 * 1000;
const SHOWN_HITS = 200;

/** Makes a limiter on a Redis client. */
export function createLimiter({
  redis,
  secret,
  prefix = 'floodgate:limit:',
  timeoutMs = 250,
  clock,
  onDecision,
}: LimiterOptions): Limiter {
  const runDecide = defineScript(redis, {
    command: 'floodgateDecide',
    file: 'limiter/decide.lua',
    numberOfKeys: 'variable',
  });
  const localWindow = createLocalWindow();

  async function ask(
    levels: readonly { algorithm: string; limit: number; windowMs: number }[],
    keys: readonly string[],
    { cost, hits }: { cost: number; hits: number },
  ) {
    const args = levels.flatMap(({ algorithm, limit, windowMs }) => [algorithm, limit, windowMs]);
    const reply = runDecide(keys, [clock?.() ?? '', cost, REQUEST_TTL_MS, hits, ...args]);
    return decodeReply(await withinStoreTimeout(reply, timeoutMs));
  }

  async function decideInStore<Context>(
    policy: ResolvedPolicy<Context>,
    levelKeys: readonly string[],
    requestKey: string | undefined,
  ): Promise<Decision> {
    const keys = requestKey === undefined ? levelKeys : [...levelKeys, requestKey];
    return toDecision(policy, await ask(policy.levels, keys, { cost: policy.cost, hits: 0 }));
  }

  function decideWithoutStore<Context>(
    policy: ResolvedPolicy<Context>,
    levelKeys: readonly string[],
  ): Decision | undefined {
    const now = clock?.() ?? Date.now();
    switch (policy.onStoreError) {
      case 'closed':
        return undefined;
      case 'open':
        return { allowed: true, policy: policy.name, now, levels: [], degraded: true, replayed: false };
      case 'local':
        return toDecision(policy, localWindow.decide(policy, levelKeys, now), { degraded: true });
    }
  }

  return {
    async decide(policy, { subjects, requestId }) {
      const started = performance.now();
      const observe = (decision: Decision | undefined, cause?: unknown) =>
        onDecision?.({ policy: policy.name, decision, durationMs: performance.now() - started, cause });

      const keys = keysOf(policy, subjects, { prefix, secret });
      const levelKeys = levelKeysOf(policy, keys);
      try {
        const requestKey = requestId === undefined ? undefined : keys.request(requestId);
        const decision = await decideInStore(policy, levelKeys, requestKey);
        observe(decision);
        return decision;
      } catch (cause) {
        if (!(cause instanceof StoreUnavailableError)) throw cause;
        const decision = decideWithoutStore(policy, levelKeys);
        observe(decision, cause);
        if (decision) return decision;
        throw cause;
      }
    },

    async peek(policy, { subjects, levels = policy.levels.map((_level, place) => place) }) {
      const keys = keysOf(policy, subjects, { prefix, secret });
      const shown = levels.flatMap((place) => {
        const level = policy.levels[place];
        return level ? [{ level, key: keys.level(place) }] : [];
      });
      const reply = await ask(
        shown.map(({ level }) => level),
        shown.map(({ key }) => key),
        { cost: 0, hits: SHOWN_HITS },
      );
      const windows = shown.flatMap(({ level }, place) => {
        const counts = reply.levels[place];
        if (!counts) return [];
        const { resetMs: _unshown, ...state } = levelState(level, counts);
        return [{ policy: policy.name, ...state, hits: counts.hits, mode: 'enforce' as const }];
      });
      return { now: reply.now, windows };
    },
  };
}

function levelKeysOf<Context>(policy: ResolvedPolicy<Context>, keys: KeyMaker): string[] {
  return policy.levels.map((_level, place) => keys.level(place));
}
