import type { StandardSchemaV1 } from '@standard-schema/spec';
import { validateFields } from './policy-fields';
import type { RequestId } from './request-id';
import { createReject, validatePolicy } from './validate-policy';

/**
 * How a level counts; docs/rate-limits.md compares them. Each algorithm's Lua include states its bound, its memory and
 * its cost.
 *
 * - `sliding-log`: never more than the limit in any window, to the millisecond.
 * - `sliding-counter`: never more than the limit either; a unit returns up to one sub-window late.
 * - `fixed-window`: up to twice the limit in a window that lies across an edge.
 * - `token-bucket`: the limit at once, then evenly; up to twice the limit in a window.
 * - `leaky-bucket`: a queue. A call waits its turn, so that calls start evenly; see `Admitted.delayMs`.
 */
export type Algorithm = 'sliding-log' | 'sliding-counter' | 'fixed-window' | 'token-bucket' | 'leaky-bucket';

/**
 * What becomes of a call while the store does not answer: `closed` refuses it as unavailable, `open` admits it,
 * `local` admits it within this node's share of the limit, as this node alone counts it. The last two mark the answer
 * as degraded.
 */
export type OnStoreError = 'closed' | 'open' | 'local';

/**
 * Whether a level binds: `enforce` does; `shadow` decides and counts what it admits, but refuses nobody; `off` neither
 * decides nor counts.
 */
export type Mode = 'enforce' | 'shadow' | 'off';

/** Reads a level's subject from a call. `undefined`: this call has no such subject. An empty string is an error. */
export type SubjectReader<Context> = (context: Context) => string | undefined | Promise<string | undefined>;

/** Counts by a field of the input, which is validated before anything is charged. Made by `keyedBy`. */
export interface InputSubject<Context> {
  input: StandardSchemaV1;
  /** An empty string answers 400, as an invalid field does. */
  subject: (call: { input: unknown; context: Context }) => string | Promise<string>;
}

/** What a level does to a caller who keeps being refused by it. Only a level that names its caller may punish. */
export interface Punishment {
  /** Refusals from this violation on say `warning`. A whole number from 1 to `banAt`. */
  warnAt: number;
  /** The violation that bans. A whole number from 1 to 1000. */
  banAt: number;
  /** How long a ban lasts. Whole milliseconds from 1 to a year. */
  banMs: number;
  /** Violations are forgotten this long after the last. Whole milliseconds from 1 to a year; default one hour. */
  lapseMs?: number;
}

/** A call as a policy reads it before the input is parsed. */
export interface PolicyCall<Context> {
  /** The raw input; `undefined` where it cannot be read. */
  input: unknown;
  context: Context;
}

/** One window of a policy. */
export interface Level<Context> {
  /**
   * The level's name in refusals, headers, metrics and keys. `global` counts everybody together, `user` the signed-in
   * user, `ip` the caller's address; any other name says by `by` whom it counts. Lower-case letters and `+`.
   */
  level: 'global' | 'user' | 'ip' | (string & {});
  /** Whom the level counts. Required for a name of your own, absent for the three known ones. */
  by?: SubjectReader<Context> | InputSubject<Context>;
  /** Default: `sliding-log`, the exact one. */
  algorithm?: Algorithm;
  /** Units admitted in any window. A whole number from 1 to 1 000 000. */
  limit: number;
  /** Length of the window in milliseconds. A whole number from 1 to one year. */
  windowMs: number;
  /** Of a `sliding-counter`: into how many parts the window is cut. A whole number from 1 to 100; default 10. */
  subWindows?: number;
  /** Default: `enforce`. May be changed while the process runs; see `Limiter.override`. */
  mode?: Mode;
  /** Default: refusals have no consequence. */
  punishment?: Punishment;
  /**
   * Returns false for a call that the level takes no part in. Evaluated from memory before each decision, so it must not
   * throw; `input` is the raw input, or `undefined` where it cannot be read. Default: the level takes part in every
   * call. See `ChargeExcluded`.
   */
  when?: (call: PolicyCall<Context>) => boolean;
  /**
   * What becomes of a call that lacks the subject, as one without HTTP may: `error` throws, `skip` leaves this level
   * out of its decision, `{ subject }` counts all such calls as one. Default: `error`.
   */
  ifMissing?: 'error' | 'skip' | { readonly subject: string };
}

/** A limit as an engineer declares it; `rateLimit(policy)` puts it before a procedure. */
export interface Policy<Context> {
  /** Default: the path of the procedure. Procedures that name the same policy share its windows. */
  name?: string;
  /** In checking order, narrowest first: the first that refuses is the one that the caller is told of. */
  levels: readonly Level<Context>[];
  /** What a refused caller reads, by language tag. `en` is the fallback of every language that is missing. */
  message: { readonly en: string } & Readonly<Record<string, string>>;
  /** Default: `closed`. A policy with a `requestId` has to be: without the store nobody knows which ids are spent. */
  onStoreError?: OnStoreError;
  /** Units that a call takes from every level. A whole number from 1 to the smallest limit; default 1. */
  cost?: number;
  /**
   * The identity of a retried call, scoped as the retry must be (who, what, and the caller's id). A call whose identity
   * was charged in the last 24 hours is admitted again without charge; one with another `input` throws
   * `RequestIdConflictError`. A string is an id that goes with every input. `undefined`: this call has none. Scope it to
   * whom the policy counts: where it has one level, ids are kept with its subjects.
   */
  requestId?: (call: PolicyCall<Context>) => string | RequestId | undefined;
}

/** A policy with every default in place: what the limiter works with. */
export interface ResolvedPolicy<Context> {
  name: string;
  levels: readonly ResolvedLevel<Context>[];
  message: Policy<Context>['message'];
  onStoreError: OnStoreError;
  cost: number;
  requestId: Policy<Context>['requestId'];
}

/** A level with every default in place. */
export interface ResolvedLevel<Context>
  extends Required<Omit<Level<Context>, 'by' | 'punishment' | 'when'>>,
    Pick<Level<Context>, 'by' | 'when'> {
  punishment: Required<Punishment> | undefined;
}

const HOUR_MS = 60 * 60 * 1000;

/** Types a level that counts by input: `by: keyedBy(schema, ({ input }) => input.email)`. */
export function keyedBy<Context, Schema extends StandardSchemaV1>(
  schema: Schema,
  subject: (call: {
    input: StandardSchemaV1.InferOutput<Schema>;
    context: Context;
  }) => string | Promise<string>,
): InputSubject<Context> {
  return {
    input: schema,
    // The middleware hands over only what this very schema has let through.
    subject: (call) => subject(call as Parameters<typeof subject>[0]),
  };
}

const resolvedPolicies = new WeakMap<object, Map<string, ResolvedPolicy<never>>>();

/**
 * Fills in the defaults; throws a `PolicyError` where the policy makes no sense. Whoever resolves the same object by the
 * same name gets the same, and with it whatever is remembered of it.
 */
export function resolvePolicy<Context>(policy: Policy<Context>, path: string): ResolvedPolicy<Context> {
  const name = policy.name ?? path;
  const byName = resolvedPolicies.get(policy) ?? new Map<string, ResolvedPolicy<never>>();
  // The map holds each policy's own type.
  const known = byName.get(name) as ResolvedPolicy<Context> | undefined;
  if (known) return known;
  const resolved = resolve(policy, name);
  resolvedPolicies.set(policy, byName.set(name, resolved as ResolvedPolicy<never>));
  return resolved;
}

function resolve<Context>(policy: Policy<Context>, name: string): ResolvedPolicy<Context> {
  validateFields(policy, createReject(name));
  const resolved = {
    name,
    levels: policy.levels.map(resolveLevel),
    message: policy.message,
    onStoreError: policy.onStoreError ?? 'closed',
    cost: policy.cost ?? 1,
    requestId: policy.requestId,
  };
  validatePolicy(resolved);
  return resolved;
}

function resolveLevel<Context>(level: Level<Context>): ResolvedLevel<Context> {
  return {
    algorithm: 'sliding-log',
    subWindows: 10,
    mode: 'enforce',
    ifMissing: 'error',
    ...level,
    punishment: level.punishment && { lapseMs: HOUR_MS, ...level.punishment },
  };
}
