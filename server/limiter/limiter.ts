import { type Bans, createBans } from './bans';
import { createBatcher } from './batcher';
import type { BreakerState } from './breaker';
import { createBreakers } from './breakers';
import { createClearWindow, type LevelWindow } from './clear-window';
import { decideScripts, decodeDecision, decodePeek, encodePeekArgs, type PeekResult } from './codec';
import type { Decision, Punished, Refused, Window } from './decision';
import { createDeleteKeys } from './delete-keys';
import { createDenialCache, noDenialCache } from './denial-cache';
import { type CallKeys, createKeys, hashTagOf } from './key';
import { createLocalWindows } from './local-window';
import { defineFunction, type FunctionHost } from './lua-function';
import { createOverrides, type EffectivePolicy, type Override } from './overrides';
import { createPlans, type Plan } from './plan';
import { type ResolvedPolicy, resolvePolicy } from './policy';
import { createProbeGuard } from './probe-guard';
import { type RequestId, RequestIdConflictError, toRequestId } from './request-id';
import { StoreUnavailableError } from './store-error';
import { withinStoreTimeout } from './store-timeout';
import type { LevelSubject } from './subject';

export interface LimiterOptions {
  /**
   * An ioredis client that fails at once when it is disconnected and never sends a command twice
   * (`enableOfflineQueue: false`, `maxRetriesPerRequest: 0`, `autoResendUnfulfilledCommands: false`).
   */
  redis: FunctionHost & { readonly isCluster?: boolean };
  /** Keys the HMACs that stand for subjects in keys; the same on every node. */
  secret: string;
  /** Begins every key. Default: `limit:`. */
  prefix?: string;
  /** How long one decision may wait for the store, in ms. Default: 250. */
  timeoutMs?: number;
  /** Epoch ms in place of the store's own clock, for tests and simulation. Default: the store's clock. */
  clock?: () => number;
  /** How many nodes share the store, as far as this one knows: a `local` policy admits one part in so many. Default: 1. */
  nodes?: () => number;
  /** Which log decides: the compact one, or the readable reference it is held against. Default: `compact`. */
  log?: 'compact' | 'reference';
  /**
   * Whether this node refuses by itself what it knows to be refused. A simulation asks each time: its clock goes on
   * while answers are on their way. Default: true.
   */
  cacheDenials?: boolean;
  /** Told of every decision, for metrics; must not throw. */
  onDecision?: (outcome: DecisionOutcome) => void;
  /** Told of what somebody should look at. Default: a warning of the process. */
  onWarning?: (message: string) => void;
}

/** What an observer learns of a call: its decision, or `undefined` where the store did not answer and the policy is closed. */
export interface DecisionOutcome {
  policy: string;
  decision: Decision | undefined;
  durationMs: number;
  /** Whom each level of the policy counts, in its order. */
  counted: readonly CountedSubject[];
  /** The error of the store, where it failed. */
  cause?: unknown;
}

/** A subject as an observer learns of it. */
export interface CountedSubject {
  level: string;
  /** Its pseudonym in keys; `all` where the level counts everybody together. */
  name: string;
  /** Personal: nothing but its mask may be kept. `undefined` where the call has no such subject. */
  subject: string | undefined;
}

/** A call to decide: one subject per level, in the policy's order. A level without one is left out. */
export interface DecideOptions {
  subjects: readonly LevelSubject[];
  /** The identity of a retried call; see `Policy.requestId`. */
  requestId?: string | RequestId | undefined;
  /** How long this decision may wait for the store, in ms, where that is less than the limiter's own `timeoutMs`. */
  timeoutMs?: number | undefined;
}

/** A refusal that needs no store. */
export interface CachedRefusal {
  refusal: Refused;
  /** Tells the observer that it was given in place of a decision. */
  observe(): void;
}

/** Decides calls by their policies, exactly, on any number of nodes that share one store. */
export interface Limiter {
  /**
   * Charges all levels or none. Throws `StoreUnavailableError` where the store is away and the policy is closed, and
   * `RequestIdConflictError` where the request id was charged with another input.
   */
  decide<Context>(policy: ResolvedPolicy<Context>, options: DecideOptions): Promise<Decision>;
  /** The refusal that `decide` would answer with, where that is certain without asking the store. Counts nothing. */
  cachedRefusal<Context>(policy: ResolvedPolicy<Context>, options: DecideOptions): CachedRefusal | undefined;
  /** The windows of a policy's levels as they stand. Charges nothing. Throws `StoreUnavailableError`. */
  peek<Context>(
    policy: ResolvedPolicy<Context>,
    options: { subjects: readonly LevelSubject[]; levels?: readonly number[] },
  ): Promise<{ now: number; windows: Window[] }>;
  /**
   * As `peek`, of one level, for a subject of which only the name in keys is known; and how the level punishes it.
   */
  peekNamed<Context>(
    policy: ResolvedPolicy<Context>,
    options: { index: number; name: string },
  ): Promise<{ now: number; window: Window; punished: Punished | undefined }>;
  /**
   * Empties one window in the store and voids the denials that this node knows; other nodes trust theirs for up to 10 s.
   * Bans, violations and request ids stay. Throws `StoreUnavailableError`.
   */
  clear<Context>(policy: ResolvedPolicy<Context>, window: LevelWindow): Promise<void>;
  /**
   * Makes a request id unused again, for a call that was refused after a decision had charged the id. The policy has
   * several levels. Throws `StoreUnavailableError`.
   */
  releaseRequestId<Context>(policy: ResolvedPolicy<Context>, requestId: string | RequestId): Promise<void>;
  /** Puts these overrides, and no others, in force on this node. */
  setOverrides(overrides: readonly Override[]): void;
  /** A policy as it is in force on this node. */
  effectivePolicy<Context>(policy: ResolvedPolicy<Context>): EffectivePolicy<Context>;
  bans: Bans;
  /** Loads the function of decisions before the first call. Throws a `ScriptError` where it does not compile. */
  load(): Promise<void>;
  /** Charges a window that no policy has: whether a decision can be made at all. Throws `StoreUnavailableError`. */
  testStore(): Promise<void>;
  /** Whether calls wait for the store, or on a cluster for the worst part of it; see `Breaker`. */
  breakerState(): BreakerState;
}

/** Makes a limiter on a Redis client. */
export function createLimiter({
  redis,
  secret,
  prefix = 'limit:',
  timeoutMs = 250,
  clock,
  nodes = () => 1,
  log = 'compact',
  cacheDenials = true,
  onDecision,
  onWarning = (message) => process.emitWarning(message),
}: LimiterOptions): Limiter {
  const callKeys = createKeys({ prefix, secret });
  const ownClock = clock ?? (() => performance.now());
  const overrides = createOverrides({ onWarning });
  const plans = createPlans({ onWarning });
  const denials = cacheDenials ? createDenialCache({ clock: ownClock }) : noDenialCache;
  const probeGuard = createProbeGuard({ timeoutMs });
  const areKeysSpread = redis.isCluster ?? false;
  const breakers = createBreakers({ areKeysSpread });
  const runDecide = defineFunction(redis, decideScripts[log], { onWarning });
  const ask = createBatcher({
    run: (keys, args) =>
      breakers.run(keys[0] ?? '', () => withinStoreTimeout(runDecide(keys, args), timeoutMs)),
    hashTagOf: areKeysSpread ? hashTagOf : () => '',
    clock,
  });
  const localWindows = createLocalWindows();
  const deleteKeys = createDeleteKeys({ redis, timeoutMs });
  const clearWindow = createClearWindow({ keys: callKeys, deleteKeys });

  function sendCall<Context>({ policy, plan, keys, requestId }: PreparedCall<Context>): Promise<Decision> {
    const sentAt = ownClock();
    const storeKeys = plan.storeKeys(keys);
    const args: (string | number)[] = plan.banMembers(keys);
    if (requestId !== undefined) {
      storeKeys.push(keys.request(requestId), keys.formerRequest(requestId));
      args.push(keys.requestInput(requestId));
    }
    return ask({
      policyArgs: requestId === undefined ? plan.policyArgs : plan.policyArgsWithRequestId,
      keys: storeKeys,
      args,
      decode(reply) {
        const decision = decodeDecision(policy, plan.levels, reply);
        denials.update(policy, keys, decision, sentAt);
        return decision;
      },
    });
  }

  /** Refuses what is certain to be refused, and lets a crowd at a reopening ask a few at a time. */
  function decideByStore<Context>(call: PreparedCall<Context>, startedAt: number): Promise<Decision> {
    const { policy, plan, keys } = call;
    const known = denials.findRefusal(policy, plan.levelIndexes, keys);
    if (known) return Promise.resolve(known);
    denials.startProbe(policy, plan.levelIndexes, keys);
    const widest = plan.widestIndex === undefined ? undefined : keys.level(plan.widestIndex);
    if (widest === undefined || !(denials.wasFull(widest) || probeGuard.isBusy(widest)))
      return sendCall(call);
    return probeGuard.decide(widest, {
      startedAt,
      send: () => sendCall(call),
      findDecision: () => denials.findRefusal(policy, plan.levelIndexes, keys),
    });
  }

  async function peekLevels<Context>(
    policy: EffectivePolicy<Context>,
    { keys, places }: { keys: CallKeys; places: readonly number[] },
  ): Promise<PeekResult> {
    const shown = places.flatMap((place) => {
      const level = policy.levels[place];
      return level ? [{ level, place }] : [];
    });
    const levels = shown.map(({ level }) => level);
    const punishing = shown.filter(({ level }) => level.punishment);
    const storeKeys = [
      ...shown.map(({ place }) => keys.level(place)),
      ...punishing.map(({ place }) => keys.violations(place)),
      ...(punishing.length > 0 ? [keys.bans()] : []),
    ];
    const banMembers = punishing.map(({ place }) => keys.banMember(place));
    return ask({
      policyArgs: encodePeekArgs(levels),
      keys: storeKeys,
      args: banMembers,
      decode: (reply) => decodePeek(policy, levels, reply),
    });
  }

  function decideWithoutStore<Context>({ policy, plan, keys }: PreparedCall<Context>): Decision | undefined {
    const now = clock?.() ?? Date.now();
    switch (policy.onStoreError) {
      case 'closed':
        return undefined;
      case 'open':
        return { ...admitUncounted(policy.name, now), degraded: true };
      case 'local':
        return localWindows.decide(policy, {
          keys,
          places: plan.levelIndexes,
          now,
          nodes: Math.max(1, nodes()),
        });
    }
  }

  function prepareCall<Context>(
    declared: ResolvedPolicy<Context>,
    { subjects, requestId }: DecideOptions,
  ): PreparedCall<Context> {
    const policy = overrides.apply(declared);
    const plan = plans.get(policy, subjects);
    const keys = callKeys.of(declared, subjects);
    return { policy, plan, keys, requestId: requestId === undefined ? undefined : toRequestId(requestId) };
  }

  return {
    async decide(declared, options) {
      const startedAt = performance.now();
      const call = prepareCall(declared, options);
      const observe = (decision: Decision | undefined, cause?: unknown) =>
        onDecision?.({
          policy: declared.name,
          decision,
          durationMs: performance.now() - startedAt,
          counted: listCountedSubjects(declared, call.keys, options),
          cause,
        });

      if (call.plan.levels.length === 0 && options.requestId === undefined) {
        const decision = admitUncounted(declared.name, clock?.() ?? Date.now());
        observe(decision);
        return decision;
      }
      try {
        const deciding = decideByStore(call, startedAt);
        const { timeoutMs: waitMs } = options;
        const decision = await (waitMs === undefined ? deciding : withinStoreTimeout(deciding, waitMs));
        if (decision.allowed && decision.hasOtherInput) throw new RequestIdConflictError();
        observe(decision);
        return decision;
      } catch (cause) {
        if (!(cause instanceof StoreUnavailableError)) throw cause;
        const decision =
          denials.findUntrustedRefusal(call.policy, call.plan.levelIndexes, call.keys) ??
          decideWithoutStore(call);
        observe(decision, cause);
        if (decision) return decision;
        throw cause;
      }
    },

    cachedRefusal(declared, options) {
      const { policy, plan, keys } = prepareCall(declared, options);
      const refusal = denials.findRefusal(policy, plan.levelIndexes, keys);
      if (!refusal) return undefined;
      return {
        refusal,
        observe() {
          const counted = listCountedSubjects(declared, keys, options);
          onDecision?.({ policy: declared.name, decision: refusal, durationMs: 0, counted });
        },
      };
    },

    async peek(declared, { subjects, levels: places = declared.levels.map((_level, place) => place) }) {
      const policy = overrides.apply(declared);
      const { now, windows } = await peekLevels(policy, { keys: callKeys.of(declared, subjects), places });
      return { now, windows };
    },

    async peekNamed(declared, { index: place, name }) {
      const policy = overrides.apply(declared);
      const keys = callKeys.ofNamed(declared, name);
      const { now, windows, punished } = await peekLevels(policy, { keys, places: [place] });
      const [window] = windows;
      if (!window) throw new RangeError(`"${policy.name}" has no level at place ${place}`);
      return { now, window, punished: punished[0] };
    },

    async clear(policy, window) {
      await clearWindow(policy, window);
      overrides.renewVersions();
    },

    releaseRequestId: (policy, requestId) =>
      deleteKeys([callKeys.of(policy, []).request(toRequestId(requestId))]),

    setOverrides: (list) => overrides.set(list),
    effectivePolicy: (policy) => overrides.apply(policy),
    bans: createBans({ redis, prefix, timeoutMs, clock }),
    load: runDecide.load,
    async testStore() {
      await sendCall(prepareCall(testPolicy, { subjects: [''] }));
    },
    breakerState: () => breakers.state(),
  };
}

const testPolicy = resolvePolicy(
  {
    name: 'store-test',
    levels: [{ level: 'global', algorithm: 'fixed-window', limit: 1_000_000, windowMs: 1_000 }],
    message: { en: 'The store is tested too often.' },
  },
  'store-test',
);

interface PreparedCall<Context> {
  policy: EffectivePolicy<Context>;
  plan: Plan<Context>;
  keys: CallKeys;
  requestId: RequestId | undefined;
}

function listCountedSubjects<Context>(
  { levels }: ResolvedPolicy<Context>,
  keys: CallKeys,
  { subjects }: DecideOptions,
): CountedSubject[] {
  return levels.map(({ level }, place) => ({
    level,
    name: keys.name(place),
    subject: subjects[place] ?? undefined,
  }));
}

/** What a call hears that no level counts. */
function admitUncounted(policy: string, now: number) {
  return {
    allowed: true as const,
    policy,
    now,
    levels: [],
    shadowRefusals: [],
    degraded: false,
    replayed: false,
    delayMs: 0,
  };
}
