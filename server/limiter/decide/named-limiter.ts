import { readPlans } from '../policy/by-plan';
import {
  type NamedCall,
  type NamedPolicy,
  type ReadablePolicy,
  resolveNamedPolicy,
  resolveReadablePolicy,
  type SubjectsOf,
} from '../policy/named-policy';
import type { ResolvedPolicy } from '../policy/policy';
import { EXCLUDED, excludedLevels, isMissing, type Subject, type Subjects } from '../policy/subject';
import type { Queue } from '../queue/queue';
import type { Store } from '../stores/store';
import type { Ban } from './bans';
import type { BreakerState } from './breaker';
import type { Admitted, Refused, Window } from './decision';
import { getOrCreate } from './get-or-create';
import type { LeaseCommands } from './lease';
import { createLimiter as createDecidingLimiter, type Limiter as DecidingLimiter } from './limiter';
import {
  type LimiterOptions as DecidingOptions,
  LimiterOptionError,
  type OptionNames,
  rejectUnknownOptions,
} from './limiter-options';
import type { RequestId } from './request-id';

export interface LimiterOptions extends Omit<DecidingOptions, 'redis' | 'store' | 'secret'> {
  /** The windows, shared by all nodes: `ioredisStore(redis)`, `nodeRedisStore(client)`; in tests `memoryStore()`. */
  store: Store;
  /** The key of the HMACs that replace subjects in keys. At least 32 characters, the same on all nodes. */
  secret: string;
}

/** A call: its subjects by name, and its options. `{}` if all levels of the policy are `global`. */
export type CallOf<P extends NamedPolicy> = SubjectsOf<P> & CallOptions;

export interface CallOptions {
  /**
   * Identifies a retried call, scoped to its caller. A call whose id was charged in the last 24 hours is admitted again
   * without a charge; with another `input` of the id it throws `RequestIdConflictError`. Where the policy settles or counts
   * calls in flight, it throws `InvalidRequestIdError`.
   */
  requestId?: string | RequestId | undefined;
  /** The units of this call, if the policy has a cost by call. Default: the cost of the policy. */
  cost?: number | undefined;
  /** A value for the functions of the policy: `cost`, `when`, `byPlan`. */
  input?: unknown;
  /** Timeout of this decision, in ms, if it is shorter than that of the limiter. */
  timeoutMs?: number | undefined;
}

/** Decides calls by name, exactly, on any number of nodes that share one store. */
export interface Limiter extends LeaseCommands {
  /**
   * Charges all levels of a policy or none. A refusal is a value. Throws `StoreUnavailableError` if the store is unavailable
   * and the policy is closed. An admitted call with a `lease` counts as running: pass the lease to `holdLease`.
   */
  check<const P extends NamedPolicy>(policy: P, call: CallOf<P>): Promise<NamedDecision>;
  /** Reads the windows of the subjects that are given, and of `global`. Charges nothing. Throws `StoreUnavailableError`. */
  peek<const P extends ReadablePolicy>(
    policy: P,
    subjects: Partial<SubjectsOf<P>>,
  ): Promise<{ now: number; windows: Window[] }>;
  /** Empties one window, on all nodes within 10 s. Bans stay. Throws `StoreUnavailableError`. */
  clear<const P extends ReadablePolicy>(policy: P, window: NamedWindow<P>): Promise<void>;
  bans: NamedBans;
  /**
   * Settles an admitted call of a policy with `settle`, whose decision has a `reservation`, by its outcome or by the number of
   * units that it keeps. Units above its cost are charged now. Resolves to false if nothing changes.
   */
  settle: DecidingLimiter['settle'];
  /** Returns the queue of a policy. Throws a `RangeError` if no level of it has one, or without the option `queues`. */
  queue(policy: ReadablePolicy): Queue;
  /**
   * Replaces all overrides on this node: of levels (`Override`), and of their subjects (`PersonOverride`). Throws a
   * `PolicyError` for an invalid one, and then changes nothing.
   */
  setOverrides: DecidingLimiter['setOverrides'];
  /** Returns the pseudonym of a subject, for `PersonOverride.ref`, which takes an address itself. */
  pseudonymOf(subject: string): string;
  /** Makes a decision on a key of its own, which expires in a second. Throws an error that names the missing right or setting. */
  ready(): Promise<void>;
  /** Returns the state of the circuit breaker; on a cluster, the worst of them. */
  breakerState(): BreakerState;
  /** @internal The limiter of the tRPC middleware. */
  readonly [deciding]: DecidingLimiter;
}

/** The outcome of a call. A refusal has the time to retry of the level that refused; null if the level is blocked. */
export type NamedDecision = Admitted | (Refused & { retryAfterMs: number | null });

/**
 * One window of a policy: the name of its level and its subject, which `global` has not. At a level with a subject in
 * `ifMissing`, no subject stands for that one.
 */
export interface NamedWindow<P extends ReadablePolicy> {
  level: P['levels'][number]['level'];
  subject?: Subject;
}

/** The active bans of policies. Every method throws `StoreUnavailableError`. */
export interface NamedBans {
  /** Lists the active bans, the first to end first. */
  list(policy: ReadablePolicy): Promise<Ban[]>;
  count(policy: ReadablePolicy): Promise<number>;
  /** Ends a ban, on all nodes within a second. Returns false if the policy has no such ban. */
  lift(policy: ReadablePolicy, banId: string): Promise<boolean>;
}

/** A bundler may load two entry points of the package separately, so that the symbol is a global one. */
export const deciding: unique symbol = Symbol.for('floodgate-limiter.deciding') as never;

const MIN_SECRET_LENGTH = 32;

/** Creates a limiter on a store. Throws a `LimiterOptionError` for an invalid or unknown option. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { secret } = options ?? {};
  if (typeof secret === 'string' && secret !== '' && secret.length < MIN_SECRET_LENGTH) {
    const fix = `Use at least ${MIN_SECRET_LENGTH} random characters, the same on all nodes.`;
    throw new LimiterOptionError('secret', `a text of ${secret.length} characters`, fix);
  }
  const limiter = createDecidingLimiter(options);

  return {
    async check(policy, call) {
      const resolved = resolveNamedPolicy(policy);
      const known = getOrCreate(callNames, resolved, () => ({ ...subjectNames(resolved), ...CALL_OPTIONS }));
      rejectUnknownOptions(`Policy "${resolved.name}"`, call, known);
      const { subjects, plans, costOf } = readCall(resolved, call);
      const { requestId, timeoutMs, cost = costOf } = call;
      const decision = await limiter.decide(resolved, { subjects, plans, cost, requestId, timeoutMs });
      if (decision.allowed) return decision;
      return Object.assign(decision, { retryAfterMs: decision.refusedBy.retryAfterMs });
    },
    async peek(policy, subjects) {
      const resolved = resolveReadablePolicy(policy);
      rejectUnknownOptions(`Policy "${resolved.name}"`, subjects, subjectNames(resolved));
      const call = subjects as Subjects;
      const levels = resolved.levels
        .map(({ level }) => level)
        .filter((level) => level === 'global' || !isMissing(call[level]));
      return limiter.peek(resolved, { subjects: call, levels });
    },
    async clear(policy, window) {
      rejectUnknownOptions('clear', window, { level: true, subject: true });
      await limiter.clear(resolveReadablePolicy(policy), window);
    },
    bans: {
      list: (policy) => limiter.bans.list(resolveReadablePolicy(policy)),
      count: (policy) => limiter.bans.count(resolveReadablePolicy(policy)),
      lift: (policy, banId) => limiter.bans.lift(resolveReadablePolicy(policy), banId),
    },
    settle: limiter.settle,
    queue: (policy) => limiter.queue(resolveReadablePolicy(policy)),
    release: limiter.release,
    renew: limiter.renew,
    setOverrides: limiter.setOverrides,
    pseudonymOf: limiter.pseudonymOf,
    ready: limiter.ready,
    breakerState: limiter.breakerState,
    [deciding]: limiter,
  };
}

const CALL_OPTIONS: OptionNames<CallOptions> = { requestId: true, cost: true, input: true, timeoutMs: true };

/** The names in the calls of each policy. */
const callNames = new WeakMap<object, Record<string, true>>();

/** Returns the names of the subjects in a call. `user` and `ip` name every caller, also where no level counts by them. */
function subjectNames({ levels }: ResolvedPolicy): Record<string, true> {
  const names = levels.map(({ level }) => level);
  return Object.fromEntries([...names, 'user', 'ip'].map((name) => [name, true]));
}

/** Reads what the levels of a policy need from a call. */
function readCall(policy: ResolvedPolicy<NamedCall>, call: CallOptions & NamedCall) {
  const read = { input: call.input, context: call };
  const excluded = excludedLevels(policy, read);
  const subjects: Record<string, Subjects[string]> = {};
  for (const { level } of policy.levels)
    subjects[level] = excluded.includes(level) ? EXCLUDED : (call[level] as Subject);
  return { subjects, plans: readPlans(policy.levels, read), costOf: policy.costOf?.(read) };
}
