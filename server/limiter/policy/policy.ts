import type { StandardSchemaV1 } from '@standard-schema/spec';

/** A subject in a call. A number counts as its text. `null`, `undefined` and `''` are missing; see `Level.ifMissing`. */
export type Subject = string | number | bigint | null | undefined;

/** The algorithms of levels. */
export const ALGORITHMS = [
  'sliding-log',
  'sliding-counter',
  'fixed-window',
  'token-bucket',
  'leaky-bucket',
] as const;

/**
 * The algorithm of a level. Each algorithm's Lua include states its bound, its memory and its cost. They are compared in
 * https://github.com/floodgate-limiter/floodgate/blob/main/docs/rate-limits.md#choose
 *
 * - `sliding-log`: never more than the limit in any window, to the millisecond.
 * - `sliding-counter`: never more than the limit; a unit returns up to one sub-window late.
 * - `fixed-window`: up to twice the limit in a window across an edge.
 * - `token-bucket`: the limit at once, then an even rate; up to twice the limit in a window.
 * - `leaky-bucket`: a queue that starts calls at an even rate; see `Admitted.delayMs`.
 */
export type Algorithm = (typeof ALGORITHMS)[number];

/** The algorithm of a level with its defaults; `in-flight` counts the calls that run, and is that of `concurrent`. */
export type LevelAlgorithm = Algorithm | 'in-flight';

/**
 * The outcome of a call while the store is unavailable: `closed` throws, `open` admits it, `local` admits it within this
 * node's share of the limit, counted by this node alone. The last two mark the decision as degraded.
 */
export type OnStoreError = 'closed' | 'open' | 'local';

/**
 * The mode of a level: `enforce` refuses calls; `shadow` decides and charges admitted calls, but refuses none; `off`
 * neither decides nor charges; `block` refuses every call in which the level takes part, without the store.
 */
export type Mode = 'enforce' | 'shadow' | 'off' | 'block';

/** Returns a level's subject of a call; nothing if the call has none. */
export type SubjectReader<Context> = (context: Context) => Subject | Promise<Subject>;

/** The subject of a level that counts by an input field, which is validated before any charge. Created by `keyedBy`. */
export interface InputSubject<Context> {
  input: StandardSchemaV1;
  /** Returns the subject. Without one the call answers 400, like an invalid field, unless the level has an `ifMissing`. */
  subject: (call: { input: unknown; context: Context }) => Subject | Promise<Subject>;
}

/** The punishment of a caller for repeated refusals by a level. Only a level that identifies its caller may punish. */
export interface Punishment {
  /** Refusals from this violation on have `warning: true`. A whole number from 1 to `banAt`. */
  warnAt: number;
  /** The violation that bans. A whole number from 1 to 1000. */
  banAt: number;
  /** Length of a ban. Whole milliseconds from 1 to a year. */
  banMs: number;
  /** Violations lapse this long after the last. Whole milliseconds from 1 to a year; default one hour. */
  lapseMs?: number;
}

/** A call before its input is parsed, for the functions of a policy. */
export interface PolicyCall<Context> {
  /** The raw input; `undefined` if it cannot be read. */
  input: unknown;
  context: Context;
}

/**
 * A queue behind a full window:
 * https://github.com/floodgate-limiter/floodgate/blob/main/docs/rate-limits.md#a-queue-behind-the-limit
 */
export interface QueueOptions<Context> {
  /** The greatest number of waiting tickets. A whole number from 1 to 100 000. */
  maxLength: number;
  /** A call whose turn could be later than this is refused. Whole milliseconds from 1 000 to a day. */
  maxWaitMs: number;
  /** The most waiting tickets of a caller over all groups, from 1 to 1 000. Default: one in each group. See `Queue.join`. */
  maxPerSubject?: number;
  /** While more than half of `maxLength` is taken, one `by`, such as an address, has at most `most` tickets (to 100 000). */
  share?: { by: SubjectReader<Context>; most: number };
  /** Returns the ticket of a call that may wait, else `undefined`; from memory, must not throw. Default: no call waits. */
  ticket?: (call: PolicyCall<Context>) => { group: string; payload: string } | undefined;
}

/** The parts of a level that a window and calls in flight have in common. */
interface LevelBase<Context> {
  /**
   * The level's name in refusals, headers, metrics and keys. `global` counts all callers together, `user` the signed-in
   * user, `ip` the caller's address; any other name needs `by`. Letters, `+` and `-`, the first letter in lower case.
   */
  level: 'global' | 'user' | 'ip' | (string & {});
  /** The subject of the level. Required for a name of your own, absent for the three built-in names. */
  by?: SubjectReader<Context> | InputSubject<Context>;
  /**
   * The field by which `by` counts, such as `ip` for a level `ip-daily`, or `all` if all calls share one window. Tools of
   * operators read it; a level that counts `all` cannot punish. Absent for the three built-in names. Default: the level's name.
   */
  counts?: 'all' | 'user' | 'ip' | (string & {});
  /** Default: `enforce`. Can be changed at run time; see `Limiter.setOverrides`. */
  mode?: Mode;
  /**
   * Returns false to exclude the level from the decision of a call. Evaluated from memory before each decision, so it must
   * not throw. Default: the level takes part in every call. See `ChargeExcluded`.
   */
  when?: (call: PolicyCall<Context>) => boolean;
  /**
   * The handling of a call whose subject is `undefined`, `null` or `''`, for example one without HTTP: `error` throws, `skip`
   * excludes the level from its decision, `{ subject }` counts all such calls as one subject, which no other call can
   * have. Default: `error`.
   */
  ifMissing?: 'error' | 'skip' | { readonly subject: string };
  /** The text of a refusal by this level, by language tag. Default: the message of the policy. */
  message?: Policy<Context>['message'];
}

/** A level of a policy: one window for each of its subjects. */
export interface Level<Context = never> extends LevelBase<Context> {
  /** Default: `sliding-log`, the exact one. */
  algorithm?: Algorithm;
  /**
   * Units admitted in any window. A whole number from 1 to 1 000 000, with a `lease` to 1 000 000 000; of a bucket, limit × windowMs
   * is at most 2^53 − 1.
   * `byPlan` gives each plan its own; not for the level `global`.
   */
  limit: number | ByPlan<Context>;
  /** Length of the window, in whole ms, from 1 to 366 days; of a leaky bucket at most 2^31 − 1, about 25 days. Or `byPlan`. */
  windowMs: number | ByPlan<Context>;
  /** The number of sub-windows of a `sliding-counter`. A whole number from 1 to 100; default 10. */
  subWindows?: number;
  /** Default: refusals have no consequence. */
  punishment?: Punishment;
  /**
   * The name of a window that all policies with this name charge; `shared` sets it. At most one level of a policy has it,
   * and it cannot punish. Letters, digits and `.`, `_`, `-`, `%`. Default: the window belongs to its policy alone.
   */
  shared?: string;
  /**
   * A queue in which calls wait for this window; see `Limiter.queue`. Only for the last level of a policy, the only one that
   * does not name its caller: a `sliding-log` by `global`, with a cost of 1 and a `requestId`. Default: calls are refused.
   */
  queue?: QueueOptions<Context>;
  /**
   * Lets nodes take units in batches and spend them in process:
   * https://github.com/floodgate-limiter/floodgate/blob/main/docs/leases.md. Only for a `sliding-counter` with at least 50
   * sub-windows. The level is charged in windows of `windowMs + forMs`, so it admits at most the limit in any window.
   * Default: each call is charged by the store.
   */
  lease?: LeaseOptions;
  concurrent?: undefined;
  leaseMs?: undefined;
}

/** The lease of the units of a level. */
export interface LeaseOptions {
  /**
   * The longest time from the taking of a unit to its spending, and so the part of the window that is lost. Whole milliseconds
   * from 500 to an hour, at least twice the `timeoutMs` of the limiter.
   */
  forMs: number;
  /** The most units of a batch that no call waits for. A whole number from 1. Default: a quarter of the free units. */
  maxUnits?: number;
}

/** The fields that only a window has. */
export type WindowField = Exclude<keyof Level, keyof LevelBase<never> | 'concurrent' | 'leaseMs'>;

/**
 * Calls of a policy that run at the same time. Each takes one lease, whatever it costs, and releases it at its end. The
 * policy has no request id, and is not `local` if the store fails.
 */
export interface InFlightLevel<Context> extends LevelBase<Context>, Partial<Record<WindowField, undefined>> {
  /** Calls that run at the same time. A whole number from 1 to 1 000, or `byPlan`; not by plan for the level `global`. */
  concurrent: number | ByPlan<Context>;
  /**
   * The lease of a call, in whole ms, from 1 to an hour, or `byPlan`. A call counts until its lease ends if its node died;
   * a running node renews it three times per lease.
   */
  leaseMs: number | ByPlan<Context>;
}

/** A declared limit; `rateLimit(policy)` applies it to a procedure. */
export interface Policy<Context = never> {
  /**
   * Letters, digits and `.`, `_`, `-`, `%`. Default: the path of the procedure, with `%` and four hex digits for every other
   * character. Procedures with the same policy share its windows.
   */
  name?: string;
  /** In checking order, narrowest first: a refusal names the first level that refuses. */
  levels: readonly (Level<Context> | InFlightLevel<Context>)[];
  /** The text of a refusal, by language tag. `en` is the fallback for every missing language. */
  message: { readonly en: string } & Readonly<Record<string, string>>;
  /** Default: `closed`. Required for a policy with a `requestId`, because only the store holds the charged ids. */
  onStoreError?: OnStoreError;
  /**
   * Units that a call charges on every level. A whole number from 1 to the smallest limit; default 1. A function returns the
   * cost of each call, from 1 to `maxCost`. It runs before each decision, on the raw input, so it must not throw. Any
   * other cost fails the call with an `InvalidCostError` before any charge.
   */
  cost?: number | ((call: PolicyCall<Context>) => number);
  /**
   * The greatest cost of a call, at most the smallest limit. Required if `cost` is a function. Without a `cost`, each call of
   * `check` states its own. Absent if `cost` is a number; of tRPC never without `cost`.
   */
  maxCost?: number;
  /**
   * Returns the request id of a call, scoped to caller, procedure and the caller's own id; `undefined` if it has none. A
   * call whose id was charged in the last 24 hours is admitted again without a charge. With another `input` it throws
   * `RequestIdConflictError`. A string is an id that fits every input. The scope must include the subject of a policy with
   * one level, because its ids are stored in the shard of that subject.
   */
  requestId?: (call: PolicyCall<Context>) => string | RequestId | undefined;
  /**
   * Makes each call reserve its cost, and returns the units that the call keeps after the procedure has ended: a whole number
   * from 0. `failures`: a call that ends without an error keeps none, any other keeps all. `successes`: a call that ends with an
   * error keeps none, any other keeps all. `units`: the caller states them, by `limiter.settle(reservation, units)` or the
   * `settle` of an adapter; not with tRPC. The other units return on every level, and the kept ones keep their instant. Units above the cost are charged at the settling, at most one limit: the
   * window may then hold more than its limit, and later calls wait. A call that is not settled keeps all: its node died, the
   * store was unavailable, or `settleMs` was over. Must not throw. Not with a `requestId`, a punishment or a leaky bucket.
   * Never use it where callers guess a secret: an attempt must stay charged. Default: every call keeps its cost.
   */
  settle?: 'failures' | 'successes' | 'units' | ((outcome: ProcedureResult & { cost: number }) => number);
  /** The longest time from a call to its settling, in whole ms from 1 to an hour. Default: 60 000. */
  settleMs?: number;
}

/** A policy with its defaults. Without a context it stands for a policy of any context. */
export interface ResolvedPolicy<Context = never> {
  name: string;
  levels: readonly ResolvedLevel<Context>[];
  message: Policy<Context>['message'];
  onStoreError: OnStoreError;
  /** Units of a call; if the cost differs by call, the greatest. */
  cost: number;
  /** Returns the cost of a call; `undefined` if all calls have one cost. */
  costOf: ((call: PolicyCall<Context>) => number) | undefined;
  requestId: Policy<Context>['requestId'];
  settle: Policy<Context>['settle'];
  settleMs: number;
}

/** A level with its defaults. */
export interface ResolvedLevel<Context = never>
  extends Required<Pick<LevelBase<Context>, 'level' | 'mode' | 'ifMissing'>>,
    Pick<Level<Context>, 'by' | 'when' | 'message' | 'shared' | 'queue'> {
  algorithm: LevelAlgorithm;
  /** The field by which the level counts; `all` for `global`. */
  counts: string;
  /** The limit, or the number of calls in flight; if it differs by plan, that of the first plan. */
  limit: number;
  /** The window, or the lease of a call in flight; if it differs by plan, that of the first plan. */
  windowMs: number;
  subWindows: number;
  /** `undefined` if no number differs by plan. */
  plans: LevelPlans<Context> | undefined;
  punishment: Required<Punishment> | undefined;
  lease: Required<LeaseOptions> | undefined;
}

/** Returns a typed `by` for a level that counts by input: `by: keyedBy(schema, ({ input }) => input.email)`. */
export function keyedBy<Context, Schema extends StandardSchemaV1>(
  schema: Schema,
  subject: (call: {
    input: StandardSchemaV1.InferOutput<Schema>;
    context: Context;
  }) => Subject | Promise<Subject>,
): InputSubject<Context> {
  // The middleware passes only input that this schema has validated. The function keeps its identity, which `shared` compares.
  return { input: schema, subject: subject as InputSubject<Context>['subject'] };
}

/** A number of a level that differs by plan. Created by `byPlan`. */
export interface ByPlan<Context> {
  /** The number of each plan. The first plan is the one of callers with an unknown plan. */
  values: Readonly<Record<string, number>>;
  plan: (call: PolicyCall<Context>) => string;
}

/** The plan of a call for each number of a level; `undefined` for a number that is the same for all plans. */
export interface LevelPlan {
  limit: string | undefined;
  windowMs: string | undefined;
}

/** The numbers of a level that differ by plan. */
export interface LevelPlans<Context = never> {
  limit: ByPlan<Context> | undefined;
  windowMs: ByPlan<Context> | undefined;
}

/** Identifies a retried call. */
export interface RequestId {
  /** Scoped to the caller, the procedure and the caller's own id. */
  id: string;
  /**
   * The input of the call. A call with a charged id and another input throws `RequestIdConflictError`. Default: the id
   * fits every input.
   */
  input?: string | undefined;
}

/** The result of a procedure. */
export type ProcedureResult = { ok: true; data: unknown } | { ok: false; error: unknown };
