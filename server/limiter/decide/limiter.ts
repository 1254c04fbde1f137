import { IPV6_PREFIX } from '../adapters/address';
import type { LevelPlan } from '../policy/by-plan';
import { validateCost } from '../policy/cost';
import { createCountedSubjects, escapeSubject } from '../policy/counted-subjects';
import { createOverrides, type EffectivePolicy, type Override } from '../policy/overrides';
import { createPersons, type PersonChange, type PersonOverride } from '../policy/person';
import type { ResolvedPolicy } from '../policy/policy';
import type { Subjects } from '../policy/subject';
import { validateOverrides } from '../policy/validate-overrides';
import type { Queue } from '../queue/queue';
import { joinScript } from '../queue/queue-join';
import { serveScript } from '../queue/queues';
import { storeOf } from '../stores/ioredis-store';
import { StoreUnavailableError, withinStoreTimeout } from '../stores/store-error';
import { type Bans, createBans } from './bans';
import { createBatcher } from './batcher';
import { type BreakerState, createBreakers } from './breaker';
import { createCallLevels } from './call-levels';
import { decideScript, decodeDecision, splitReply } from './codec';
import { validateSize } from './command-size';
import { admitUncounted, type Decision, listCountedSubjects, type Refused } from './decision';
import { createDeletions, type Deletions } from './deletions';
import { createDenialCache, noDenialCache } from './denial-cache';
import { createKeys } from './key';
import { createLeaseCommands, type LeaseCommands } from './lease';
import { type LimiterOptions, validateOptions, wholeClock } from './limiter-options';
import { createLocalWindows } from './local-window';
import { createPeek, type Peek } from './peek';
import { encodeCall, type PreparedCall } from './prepared-call';
import { createProbeGuard } from './probe-guard';
import { createProcessClock } from './process-clock';
import { pseudonymOf } from './pseudonym';
import { type RequestId, RequestIdConflictError, toRequestId, validateRequestId } from './request-id';
import { createSettle, type Settle } from './settle';
import { readyErrorOf, testStore } from './store-test';

/** A call to decide. A level whose subject is `EXCLUDED` takes no part. */
export interface DecideOptions {
  /** By the names of the levels. `{}` if all levels are `global`. */
  subjects: Subjects;
  /** The plans of the caller, from `readPlans`. Absent: the first plans. */
  plans?: readonly (LevelPlan | undefined)[] | undefined;
  /** The units of the call, if its policy has a cost by call. Default: the cost of the policy, or its greatest. */
  cost?: number | undefined;
  /** The identity of a retried call; see `Policy.requestId`. Not where calls settle or count in flight. */
  requestId?: string | RequestId | undefined;
  /** Timeout of this decision, in ms, if it is shorter than the limiter's `timeoutMs`. */
  timeoutMs?: number | undefined;
}

/** A refusal from the denial cache. */
export interface CachedRefusal {
  refusal: Refused;
  /** Reports the refusal to `onDecision`, when it was sent instead of a decision. */
  observe(): void;
}

/** Decides calls by their policies, exactly, on any number of nodes that share one store. README.md lists the steps. */
export interface Limiter extends Peek, LeaseCommands, Deletions {
  /**
   * Charges all levels or none. Throws `StoreUnavailableError` if the store is unavailable and the policy is closed,
   * `RequestIdConflictError` if the request id was charged with another input, `InvalidCostError` for a wrong cost, and
   * `InvalidRequestIdError` for a request id where calls settle or count in flight.
   */
  decide(policy: ResolvedPolicy, options: DecideOptions): Promise<Decision>;
  /** Returns the refusal that `decide` would return, if the denial cache makes it certain. Counts nothing. */
  cachedRefusal(policy: ResolvedPolicy, options: DecideOptions): CachedRefusal | undefined;
  /** Settles an admitted call after its end; see `Policy.settle`. */
  settle: Settle;
  /**
   * Replaces all overrides on this node, of levels and of their subjects. Throws a `PolicyError` for an invalid one, and
   * then changes nothing. An override for a policy that is not used yet is kept; `onWarning` reports one for a level that
   * its policy does not have.
   */
  setOverrides(overrides: readonly Override[], persons?: readonly PersonOverride[]): void;
  /** Replaces the overrides of levels like `setOverrides`, and changes those of some subjects. The others stay. */
  changeOverrides(overrides: readonly Override[], persons: readonly PersonChange[]): void;
  /** Returns the pseudonym of a subject, which `PersonOverride.ref` takes; of an address, that of `normalizeAddress`. */
  pseudonymOf(subject: string): string;
  /** Returns a policy with the overrides of this node. */
  effectivePolicy(policy: ResolvedPolicy): EffectivePolicy;
  /** The bits of an IPv6 address by which the level `ip` counts. */
  readonly ipv6Prefix: number;
  bans: Bans;
  /** Returns the queue of a policy. Throws a `RangeError` if no level of it has one, or without the option `queues`. */
  queue(policy: ResolvedPolicy): Queue;
  /**
   * Loads the Redis functions, and makes a decision on a key of its own, which expires in a second. Throws a `ScriptError` if a function
   * does not compile, and a `StoreUnavailableError` that names the missing right or setting.
   */
  ready(): Promise<void>;
  /** Makes a decision on a key of its own. Throws `StoreUnavailableError` if the store cannot decide. */
  testStore(): Promise<void>;
  /** Returns the state of the circuit breaker; on a cluster, the worst of them. */
  breakerState(): BreakerState;
  /** Passes a warning to `onWarning`. */
  warn(message: string): void;
}

/**
 * Creates a limiter on a Redis client. Throws a `LimiterOptionError` for an invalid or unknown option. Longer than 50 lines because it
 * connects the parts of the limiter.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  validateOptions(options);
  const { secret, prefix = 'limit:', timeoutMs = 250, nodes = () => 1, onDecision } = options;
  const {
    cacheDenials = true,
    queues: createQueues,
    onWarning = (message) => process.emitWarning(message),
  } = options;
  const { ipv6Prefix = IPV6_PREFIX } = options;
  const store = storeOf(options, { onWarning });
  const clock = wholeClock(options.clock ?? store.clock);
  const allKeys = createKeys({ prefix, secret, onWarning });
  const countedSubjects = createCountedSubjects({ ipv6Prefix });
  const overrides = createOverrides({ onWarning });
  const persons = createPersons({ onWarning, clock: clock ?? Date.now, ipv6Prefix });
  const callLevelsOf = createCallLevels({ onWarning });
  const denials = cacheDenials
    ? createDenialCache({ clock: clock ?? createProcessClock(), timeoutMs })
    : noDenialCache;
  const probeGuard = createProbeGuard({ timeoutMs });
  const { slotOf } = store;
  const breakers = createBreakers({ areKeysSpread: slotOf !== undefined });
  const sendCommand = createBatcher({
    run: (keys, args) =>
      breakers.run(keys[0] ?? '', () => withinStoreTimeout(store.run(decideScript, keys, args), timeoutMs)),
    splitReply,
    validate: validateSize,
    hashTagOf: slotOf ?? (() => ''),
    clock,
  });
  const localWindows = createLocalWindows();

  function sendCall(call: PreparedCall): Promise<Decision> {
    const { policy, callLevels } = call;
    const sentAt = denials.now();
    const { policyArgs, keys, args, lease, reservation } = encodeCall(call);
    return sendCommand({
      policyArgs,
      keys,
      args,
      decode(reply) {
        const decision = decodeDecision(policy, callLevels.levels, reply);
        denials.update(call, decision, sentAt);
        if (!decision.allowed || !(lease || reservation)) return decision;
        return { ...decision, ...(lease && { lease }), ...(reservation && { reservation }) };
      },
    });
  }

  /** Refuses from the denial cache, else sends the call: through the probe guard if its widest window was full. */
  function decideByStore(call: PreparedCall, startedAt: number): Promise<Decision> {
    const { callLevels, keys } = call;
    const refusal = denials.findRefusal(call);
    if (refusal) return Promise.resolve(refusal);
    denials.startProbe(call);
    const widest = callLevels.widestIndex === undefined ? undefined : keys.level(callLevels.widestIndex);
    if (widest === undefined || !(denials.wasFull(widest) || probeGuard.isBusy(widest)))
      return sendCall(call);
    return probeGuard.decide(widest, {
      startedAt,
      send: () => sendCall(call),
      findDecision: () => denials.findRefusal(call),
    });
  }

  function decideWithoutStore({ policy, callLevels, keys, cost }: PreparedCall): Decision | undefined {
    const now = clock?.() ?? Date.now();
    if (policy.onStoreError === 'closed') return undefined;
    if (policy.onStoreError === 'open') return { ...admitUncounted(policy.name, now), degraded: true };
    const call = { keys, cost, now, levelIndexes: callLevels.levelIndexes, nodes: Math.max(1, nodes()) };
    return localWindows.decide(policy, call);
  }

  function prepareCall(
    declared: ResolvedPolicy,
    { subjects: named, plans, cost = declared.cost, requestId }: DecideOptions,
  ): PreparedCall {
    validateCost(declared, cost);
    const id = requestId === undefined ? undefined : toRequestId(requestId);
    if (id) validateRequestId(declared, id);
    const subjects = countedSubjects.ofCall(declared, named);
    const keys = allKeys.of(declared, subjects);
    const { policy, denial } = persons.resolve(overrides.apply(declared), { keys, subjects, plans });
    const callLevels = callLevelsOf(policy, subjects);
    return { declared, policy, plans, subjects, keys, cost, denial, callLevels, requestId: id };
  }

  const queues = createQueues?.({
    ...{ store, timeoutMs, clock, overrides, allKeys, countedSubjects, denials, prepareCall, onDecision },
    pseudonymOf: (subject) => pseudonymOf(subject, secret),
    runOnStore: breakers.run,
  });

  return {
    async decide(declared, options) {
      const startedAt = performance.now();
      const call = prepareCall(declared, options);
      const observe = (decision: Decision | undefined, cause?: unknown) =>
        onDecision?.({
          policy: declared.name,
          decision,
          durationMs: performance.now() - startedAt,
          counted: listCountedSubjects(declared, call),
          cause,
        });

      const isUncounted = call.callLevels.levels.length === 0 && options.requestId === undefined;
      const certain = call.denial ?? (isUncounted && admitUncounted(declared.name, clock?.() ?? Date.now()));
      if (certain) {
        observe(certain);
        return certain;
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
        const decision = denials.findUntrustedRefusal(call) ?? decideWithoutStore(call);
        observe(decision, cause);
        if (decision) return decision;
        throw cause;
      }
    },

    cachedRefusal(declared, options) {
      const call = prepareCall(declared, options);
      const refusal = call.denial ?? denials.findRefusal(call);
      if (!refusal) return undefined;
      return {
        refusal,
        observe() {
          const counted = listCountedSubjects(declared, call);
          onDecision?.({ policy: declared.name, decision: refusal, durationMs: 0, counted });
        },
      };
    },

    ...createLeaseCommands(sendCommand),
    settle: createSettle({
      ...{ sendCommand, onWarning },
      effectivePolicyOf: (call) => persons.resolve(overrides.apply(call.declared), call).policy,
    }),
    ...createPeek({ keys: allKeys, countedSubjects, overrides, persons, sendCommand }),

    ...createDeletions({
      ...{ keys: allKeys, countedSubjects, store, timeoutMs },
      onClear() {
        overrides.renewVersions();
        queues?.onWindowChange();
      },
    }),

    setOverrides(list, personList = []) {
      validateOverrides(list, personList, { ipv6Prefix });
      persons.set(personList);
      overrides.set(list);
      queues?.onWindowChange();
    },
    changeOverrides(list, changes) {
      validateOverrides(list, changes, { mayLift: true, ipv6Prefix });
      persons.change(changes);
      overrides.set(list);
      queues?.onWindowChange();
    },
    pseudonymOf: (subject) => pseudonymOf(escapeSubject(String(subject)), secret),
    ipv6Prefix,
    effectivePolicy: (policy) => overrides.apply(policy),
    queue: queues?.of ?? withoutQueues,
    bans: createBans({ store, prefix, timeoutMs, clock }),
    async ready() {
      try {
        await store.ready(createQueues ? [decideScript, joinScript, serveScript] : [decideScript]);
        await testStore({ sendCommand, prefix });
      } catch (cause) {
        throw await readyErrorOf(cause, { store, prefix });
      }
    },
    testStore: () => testStore({ sendCommand, prefix }),
    breakerState: () => breakers.state(),
    warn: onWarning,
  };
}

function withoutQueues(): never {
  throw new RangeError('The limiter has no queues. Create it with { queues: createQueues }.');
}
