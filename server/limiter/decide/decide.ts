import { readCost } from '../policy/cost';
import type { CountedSubjects } from '../policy/counted-subjects';
import type { Overrides } from '../policy/overrides';
import type { LevelPlan, RequestId, ResolvedPolicy } from '../policy/policy';
import type { Subjects } from '../policy/subject';
import { areRequestsIsolated } from '../stores/event-loop';
import { StoreUnavailableError } from '../stores/store-error';
import { withinStoreTimeout } from '../stores/store-timeout';
import type { SendCommand } from './batcher';
import type { createCallLevels } from './call-levels';
import { admitUncounted, type Decision, type DecisionSource, type Refused, toDecision } from './decision';
import type { DenialCache } from './denial-cache';
import type { createExplain } from './explain';
import type { Keys } from './key';
import type { LeasedLevels } from './leased-levels';
import { createLocalWindows } from './local-window';
import type { Observers } from './observers';
import type { Persons } from './person';
import { type PreparedCall, toCommand } from './prepared-call';
import { createProbeGuard } from './probe-guard';
import { RequestIdConflictError, toRequestId, validateRequestId } from './request-id';

/** A call to decide. A level whose subject is `EXCLUDED` takes no part. */
export interface DecideOptions {
  /** By the names of the levels. `{}` if all levels are `global`. */
  subjects: Subjects;
  /** The plans of the caller, from `readPlans`. Absent: the first plans. */
  plans?: readonly (LevelPlan | undefined)[] | undefined;
  /**
   * The units of the call, if its policy has a cost by call. Required if the policy has a `maxCost` and no `cost`; default: the
   * cost of the policy, or its greatest.
   */
  cost?: number | undefined;
  /** The identity of a retried call; see `Policy.requestId`. Not where calls settle or count in flight. */
  requestId?: string | RequestId | undefined;
  /** Timeout of this decision, in ms, if it is shorter than the limiter's `timeoutMs`. */
  timeoutMs?: number | undefined;
}

/** A refusal from the denial cache. */
export interface CachedRefusal {
  refusal: Refused;
  /** Reports the refusal to the observers, when it was sent instead of a decision. */
  observe(): void;
}

/** Decisions on calls whose subjects, plans and cost are read: by `check`, and by middlewares of frameworks. */
export interface Decisions {
  /**
   * Charges all levels or none. Throws `StoreUnavailableError` if the store is unavailable and the policy is closed,
   * `RequestIdConflictError` if the request id was charged with another input, `InvalidCostError` for a wrong cost, and
   * `InvalidRequestIdError` for a request id where calls settle or count in flight.
   */
  decide(policy: ResolvedPolicy, options: DecideOptions): Promise<Decision>;
  /** Returns the refusal that `decide` would return, if the denial cache makes it certain. Counts nothing. */
  cachedRefusal(policy: ResolvedPolicy, options: DecideOptions): CachedRefusal | undefined;
}

/** The parts of a limiter on which decisions depend. */
export interface DecideParts {
  keys: Keys;
  countedSubjects: CountedSubjects;
  overrides: Overrides;
  persons: Persons;
  callLevelsOf: ReturnType<typeof createCallLevels>;
  denials: DenialCache;
  sendCommand: SendCommand;
  leasedLevels: LeasedLevels;
  /** Throws if the limiter is closed. */
  ensureOpen: () => void;
  clock: (() => number) | undefined;
  timeoutMs: number;
  nodes: () => number;
  observers: Observers;
  recordCost: ReturnType<typeof createExplain>['recordCost'];
}

/** Creates the decisions of a limiter. Longer than 50 lines because its functions share the parts. */
export function createDecisions({
  keys: allKeys,
  countedSubjects,
  overrides,
  persons,
  callLevelsOf,
  denials,
  sendCommand,
  leasedLevels,
  ensureOpen,
  clock,
  timeoutMs,
  nodes,
  observers,
  recordCost,
}: DecideParts): Decisions & { prepareCall(policy: ResolvedPolicy, options: DecideOptions): PreparedCall } {
  const probeGuard = createProbeGuard({ timeoutMs });
  const localWindows = createLocalWindows();

  function prepareCall(
    declared: ResolvedPolicy,
    { subjects: named, plans, cost: given, requestId }: DecideOptions,
  ): PreparedCall {
    ensureOpen();
    const cost = readCost(declared, given);
    const id = requestId === undefined ? undefined : toRequestId(requestId);
    if (id) validateRequestId(declared, id);
    const subjects = countedSubjects.ofCall(declared, named);
    const keys = allKeys.of(declared, subjects);
    const { policy, denial } = persons.resolve(overrides.apply(declared), { keys, subjects, plans });
    const callLevels = callLevelsOf(policy, subjects);
    return {
      declared,
      policy,
      plans,
      subjects,
      keys,
      cost,
      denial,
      callLevels,
      requestId: id,
      isSent: false,
      isOver: false,
    };
  }

  function sendCall(call: PreparedCall): Promise<Decision> {
    const { policy, callLevels } = call;
    const sentAt = denials.now();
    const command = toCommand(call);
    call.isSent = true;
    return sendCommand(command, (reply) => {
      const decision = toDecision(policy.name, callLevels.levels, reply);
      denials.update(call, decision, sentAt);
      const { lease, reservation } = command;
      if (!decision.allowed || !(lease || reservation)) return decision;
      return { ...decision, ...(lease && { lease }), ...(reservation && { reservation }) };
    });
  }

  /** Refuses from the denial cache, else sends the call: through the probe guard if its widest window was full. */
  function decideByStore(call: PreparedCall, startedAt: number): Promise<Decision> {
    const { callLevels, keys } = call;
    const refusal = denials.refuseOrProbe(call);
    if (refusal) return Promise.resolve(refusal);
    // A call of a worker cannot wait for the reply to another one.
    const guardedIndex = areRequestsIsolated ? undefined : callLevels.widestIndex;
    const widest = guardedIndex === undefined ? undefined : keys.level(guardedIndex);
    if (widest === undefined || !(denials.wasFull(widest) || probeGuard.isBusy(widest)))
      return sendCall(call);
    return probeGuard.decide(widest, {
      startedAt,
      send: () => sendCall(call),
      findDecision: () => denials.findRefusal(call),
    });
  }

  /** Decides a call. Returns at once what needs no store. */
  function decideCall(call: PreparedCall, startedAt: number): Decision | Promise<Decision> {
    const { leased, levels } = call.callLevels;
    if (leased.length === 0) return decideByStore(call, startedAt);
    const refusal = levels.length > 0 ? denials.findRefusal(call) : undefined;
    return refusal ?? leasedLevels.decide(call, () => decideByStore(call, startedAt));
  }

  function decideWithoutStore({ policy, callLevels, keys, cost }: PreparedCall): Decision | undefined {
    const now = clock?.() ?? Date.now();
    if (policy.onStoreError === 'closed') return undefined;
    if (policy.onStoreError === 'open') return { ...admitUncounted(policy.name, now), degraded: true };
    const call = { keys, cost, now, levelIndexes: callLevels.allIndexes, nodes: Math.max(1, nodes()) };
    return localWindows.decide(policy, call);
  }

  return {
    prepareCall,

    async decide(declared, options) {
      const startedAt = performance.now();
      const call = prepareCall(declared, options);
      const { allIndexes, leased } = call.callLevels;
      const isUncounted = allIndexes.length === 0 && options.requestId === undefined;
      const certain = call.denial ?? (isUncounted && admitUncounted(declared.name, clock?.() ?? Date.now()));
      if (certain) {
        observers.observe(call, { startedAt, decision: certain, source: 'local' });
        return certain;
      }
      try {
        const deciding = decideCall(call, startedAt);
        const isDecided = !(deciding instanceof Promise);
        // A leased call may wait for its units, then for its other levels.
        const { timeoutMs: waitMs = leased.length > 0 ? timeoutMs : undefined } = options;
        const isBounded = waitMs !== undefined && !isDecided;
        const decision = await (isBounded ? withinStoreTimeout(deciding, waitMs) : deciding);
        if (decision.allowed && decision.hasOtherInput) throw new RequestIdConflictError();
        recordCost(call, decision);
        observers.observe(call, { startedAt, decision, source: sourceOf(call, decision, isDecided) });
        return decision;
      } catch (error) {
        call.isOver = true;
        if (!(error instanceof StoreUnavailableError)) throw error;
        const refusal = denials.findUntrustedRefusal(call);
        const decision = refusal ?? decideWithoutStore(call);
        const source = refusal ? 'cache' : decision ? 'local' : 'store';
        observers.observe(call, { startedAt, decision, source, error });
        if (!decision) throw error;
        recordCost(call, decision);
        return decision;
      }
    },

    cachedRefusal(declared, options) {
      const call = prepareCall(declared, options);
      const refusal = call.denial ?? denials.findRefusal(call) ?? leasedLevels.findRefusal(call);
      if (!refusal) return undefined;
      return {
        refusal,
        observe() {
          const source = refusal === call.denial ? 'local' : 'cache';
          observers.observe(call, { decision: refusal, source });
        },
      };
    },
  };
}

/** Returns the part that decided a call. A call that waited for leased units was decided by the store. */
function sourceOf(
  { callLevels, isSent }: PreparedCall,
  { allowed }: Decision,
  isDecided: boolean,
): DecisionSource {
  if (isSent) return 'store';
  if (callLevels.leased.length === 0 || !allowed) return 'cache';
  return isDecided ? 'lease' : 'store';
}
