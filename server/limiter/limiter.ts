import { type Bans, createBans } from './decide/bans';
import { createBatcher, type SendCommand } from './decide/batcher';
import { type BreakerState, createBreakers } from './decide/breaker';
import { createCallLevels } from './decide/call-levels';
import { createDecisions, type DecideOptions, type Decisions } from './decide/decide';
import type { Admitted, Decision } from './decide/decision';
import { createDeletions, type Deletions } from './decide/deletions';
import { createDenialCache, noDenialCache } from './decide/denial-cache';
import { createExplain, type Explain } from './decide/explain';
import { createKeys } from './decide/key';
import { createLeaseCommands, type LeaseCommands } from './decide/lease';
import { createLeasedLevels, type LeasedLevels } from './decide/leased-levels';
import { createLifetime } from './decide/lifetime';
import { createObservers, type Observers } from './decide/observers';
import { createOverrideSetters, type OverrideSetters } from './decide/override-setters';
import { createPeek, type Peek } from './decide/peek';
import { createPersons } from './decide/person';
import { createProcessClock } from './decide/process-clock';
import { createReadiness, type Readiness } from './decide/ready';
import { type ChargedCall, createSettle, type Settle } from './decide/settle';
import { getOrCreate } from './get-or-create';
import { type LimiterOptions, validateOptions, wholeClock } from './limiter-options';
import { emitWarning, LimiterOptionError, type OptionNames } from './options';
import { IPV6_PREFIX } from './policy/address';
import { readPlans } from './policy/by-plan';
import { createCountedSubjects, escapeSubject } from './policy/counted-subjects';
import {
  type NamedCall,
  type NamedPolicy,
  type ReadablePolicy,
  resolveNamedPolicy,
  resolveReadablePolicy,
  type StatedCost,
  type SubjectsOf,
  subjectNames,
  validateCall,
} from './policy/named-policy';
import { createOverrides, type EffectivePolicy } from './policy/overrides';
import type { Subject } from './policy/policy';
import { pseudonymOf } from './policy/pseudonym';
import { EXCLUDED, excludedLevels, type Subjects } from './policy/subject';
import type { Queue } from './queue/queue';
import type { CommandReply, StoreCommand } from './stores/store';
import { runStarted, type StartedCall, validateScheduled } from './wait/schedule';
import { validateWaitOptions, type WaitOptions } from './wait/wait-options';
import { createWaiting, type Waiting } from './wait/waiting';

/** A call: its subjects by name, and its options. `{}` if all levels of the policy are `global`. */
export type CallOf<P extends NamedPolicy> = SubjectsOf<P> & CallOptions & StatedCost<P>;

/**
 * The options of a call. Where the policy settles or counts calls in flight, a `requestId` throws an
 * `InvalidRequestIdError`.
 */
export interface CallOptions extends Omit<DecideOptions, 'subjects' | 'plans'> {
  /** A value for the functions of the policy: `cost`, `when`, `byPlan`. */
  input?: unknown;
}

/** Decides calls by their policies, exactly, on any number of nodes that share one store. README.md lists the steps. */
export interface Limiter
  extends Decisions,
    Explain,
    Peek,
    LeaseCommands,
    Deletions,
    OverrideSetters,
    Readiness {
  /**
   * Charges all levels of a policy or none. A refusal is a value. Throws like `decide`. An admitted call with a `lease` counts
   * as running: pass the lease to `holdLease`.
   */
  check<const P extends NamedPolicy>(policy: P, call: CallOf<P>): Promise<Decision>;
  /**
   * Waits until a call may start, and resolves with its admitted decision. Calls of one policy and the same subjects start in
   * their order in this process; other processes get an even share. Pass a `lease` of the decision to `holdLease`.
   *
   * Rejects with a `WaitTooLongError` as soon as it is certain that the call cannot start within `maxWaitMs`, or never by time;
   * with the reason of the signal if that aborts; with a `PolicyError` if a level punishes or has a queue; and like `decide`. A
   * call that does not start is not charged, except for a unit whose charge was in flight when the signal aborted, if no
   * other call waits for it.
   */
  wait<const P extends NamedPolicy>(policy: P, call: CallOf<P>, options?: WaitOptions): Promise<Admitted>;
  /**
   * Waits like `wait`, runs the function, and returns its result. The call holds its leases while the function runs, and is
   * settled by its outcome where the policy settles. Rejects like `wait`, or with the error of the function.
   */
  schedule<const P extends NamedPolicy, Result>(
    policy: P,
    call: CallOf<P>,
    fn: (call: StartedCall) => Result | Promise<Result>,
    options?: WaitOptions,
  ): Promise<Result>;
  /**
   * Settles an admitted call of a policy with `settle`, whose decision has a `reservation`, by its outcome or by the number of
   * units that it keeps. Units above its cost are charged now. Resolves to false if nothing changes.
   */
  settle: Settle;
  /** Returns the pseudonym of a subject, for `PersonOverride.ref`; of an address, that of `normalizeAddress`. */
  pseudonymOf(subject: string): string;
  /** Returns a policy with the overrides of this node. */
  effectivePolicy(policy: ReadablePolicy): EffectivePolicy;
  /** The bits of an IPv6 address by which the level `ip` counts. */
  readonly ipv6Prefix: number;
  bans: Bans;
  /** Returns the queue of a policy. Throws a `LimiterOptionError` if no level of it has one, or without the option `queues`. */
  queue(policy: ReadablePolicy): Queue;
  /** Returns the units of leased levels that this node holds and has not spent, by policy and level. */
  leasedUnits: LeasedLevels['leasedUnits'];
  /** Returns the state of the circuit breaker; on a cluster, the worst of them. */
  breakerState(): BreakerState;
  /** Adds an observer of every decision next to `onDecision`, and returns the function that removes it. */
  subscribe: Observers['subscribe'];
  /** Passes a warning to `onWarning`. */
  warn(message: string): void;
  /**
   * Rejects the calls that wait, stops the serving nodes of its queues, gives leased units back, and ends the connection of
   * `connectRedis` if no other limiter uses it. A given client stays open. Later calls throw a `StoreUnavailableError` of the
   * kind `closed`. May be called again.
   */
  close(): Promise<void>;
}

/**
 * Creates a limiter on a store. Throws a `LimiterOptionError` for an invalid or unknown option. Longer than 50 lines because it
 * connects the parts of the limiter.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  validateOptions(options);
  const { secret, prefix = 'limit:', timeoutMs = 250, nodes = () => 1, cacheDenials = true } = options;
  const { queues: createQueues, onWarning = emitWarning, ipv6Prefix = IPV6_PREFIX } = options;
  const { store, decideBatch, ensureOpen, end } = createLifetime(options.store, { timeoutMs, onWarning });
  const clock = wholeClock(options.clock ?? store.clock);
  const keys = createKeys({ prefix, secret, onWarning, hasClock: options.clock !== undefined });
  const countedSubjects = createCountedSubjects({ ipv6Prefix });
  const overrides = createOverrides({ onWarning });
  const observers = createObservers(options.onDecision);
  const { explain, recordCost } = createExplain({ overrides });
  const persons = createPersons({ onWarning, clock: clock ?? Date.now, ipv6Prefix });
  const denials = cacheDenials
    ? createDenialCache({ clock: clock ?? createProcessClock(), timeoutMs })
    : noDenialCache;
  const { slotOf } = store;
  const breakers = createBreakers({
    areKeysSpread: slotOf !== undefined,
    timeoutMs,
  });
  const sendBatched = createBatcher<StoreCommand, CommandReply>({
    run: (batch) => breakers.run(keyOf(batch[0]?.command), () => decideBatch(batch)),
    slotOf: slotOf ? (command) => slotOf(keyOf(command)) : () => '',
    clock,
  });
  // The store replies to a decision or peek with no other value.
  const sendCommand = ((...command: Parameters<typeof sendBatched>) => {
    ensureOpen();
    return sendBatched(...command);
  }) as SendCommand;
  const leasedLevels = createLeasedLevels({ sendCommand, clock, timeoutMs });
  const { prepareCall, ...decisions } = createDecisions({
    leasedLevels,
    keys,
    countedSubjects,
    overrides,
    persons,
    denials,
    sendCommand,
    ensureOpen,
    clock,
    timeoutMs,
    nodes,
    observers,
    recordCost,
    callLevelsOf: createCallLevels({ onWarning }),
  });
  const queues = createQueues?.({
    store,
    clock,
    overrides,
    countedSubjects,
    denials,
    prepareCall,
    observers,
    allKeys: keys,
    pseudonymOf: (subject) => pseudonymOf(subject, secret),
    runOnStore: breakers.run,
  });
  const effectivePolicyOf = (call: ChargedCall) =>
    persons.resolve(overrides.apply(call.declared), call).policy;
  const waiting = createWaiting({
    prepareCall,
    decide: decisions.decide,
    sendCommand,
    ...createLeaseCommands(sendCommand),
    settle: createSettle({ sendCommand, onWarning, effectivePolicyOf }),
  });

  /** Makes this node apply changed limits and windows to the calls that wait. */
  function onWindowChange(): void {
    queues?.onWindowChange();
    waiting.checkAgain();
  }

  return {
    ...decisions,
    async check(policy, call) {
      const { resolved, decided } = readNamedCall(policy, call);
      return decisions.decide(resolved, decided);
    },
    explain,
    ...createNamedWaits(waiting),
    ...createPeek({ keys, countedSubjects, overrides, persons, sendCommand }),
    ...createDeletions({
      keys,
      countedSubjects,
      store,
      timeoutMs,
      onClear() {
        overrides.renewVersions();
        onWindowChange();
      },
    }),
    ...createOverrideSetters({ overrides, persons, ipv6Prefix, onChange: onWindowChange }),
    pseudonymOf: (subject) => pseudonymOf(escapeSubject(String(subject)), secret),
    ipv6Prefix,
    effectivePolicy: (policy) => overrides.apply(resolveReadablePolicy(policy)),
    queue(policy) {
      ensureOpen();
      const resolved = resolveReadablePolicy(policy);
      if (queues) return queues.of(resolved);
      throw new LimiterOptionError('queues', undefined, 'Give createQueues of floodgate-limiter/queue.');
    },
    ...createReadiness({
      store,
      sendCommand,
      ensureOpen,
      prefix,
      onWarning,
      hasQueues: queues !== undefined,
    }),
    bans: createBans({ keys, countedSubjects, store, prefix, timeoutMs, clock }),
    leasedUnits: leasedLevels.leasedUnits,
    breakerState: () => breakers.state(),
    subscribe: observers.subscribe,
    warn: onWarning,
    close: () =>
      end(async () => {
        waiting.end();
        await queues?.stop();
        await leasedLevels.end();
      }),
  };
}

const CALL_OPTIONS: OptionNames<CallOptions> = { requestId: true, cost: true, input: true, timeoutMs: true };

/** The names in the calls of each policy. */
const callNames = new WeakMap<object, Record<string, true>>();

/** Returns a call as the levels of its policy need it. Throws a `LimiterOptionError` for an unknown name. */
function readNamedCall(policy: NamedPolicy, call: CallOptions & NamedCall) {
  const resolved = resolveNamedPolicy(policy);
  const known = getOrCreate(callNames, resolved, () => ({ ...subjectNames(resolved), ...CALL_OPTIONS }));
  validateCall(resolved, { call, known });
  const read = { input: call.input, context: call };
  const excluded = excludedLevels(resolved, read);
  const subjects: Record<string, Subjects[string]> = {};
  for (const { level } of resolved.levels)
    subjects[level] = excluded.includes(level) ? EXCLUDED : (call[level] as Subject);
  const { requestId, timeoutMs, cost = resolved.costOf?.(read) } = call;
  const decided = { subjects, plans: readPlans(resolved.levels, read), cost, requestId, timeoutMs };
  return { resolved, decided };
}

/** Creates the functions of a limiter that wait, and those that end a call. */
function createNamedWaits(
  waiting: Waiting,
): Pick<Limiter, 'wait' | 'schedule' | 'settle' | keyof LeaseCommands> {
  const { renew, release, settle } = waiting;
  return {
    ...{ renew, release, settle },
    async wait(policy, call, options = {}) {
      validateWaitOptions('wait', options);
      const { resolved, decided } = readNamedCall(policy, call);
      return waiting.wait(resolved, decided, options);
    },
    async schedule(policy, call, fn, options = {}) {
      validateWaitOptions('schedule', options);
      validateScheduled(fn);
      const { resolved, decided } = readNamedCall(policy, call);
      const decision = await waiting.wait(resolved, decided, options);
      return runStarted(fn, { decision, signal: options.signal, limiter: waiting });
    },
  };
}

/** Returns a key of a command. All of them are in one slot. */
function keyOf(command: StoreCommand | undefined): string {
  const index = command?.policyArgs.levelIndexes[0];
  return (index === undefined ? command?.request?.key : command?.keys.level(index)) ?? '';
}
