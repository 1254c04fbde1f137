import type { StandardSchemaV1 } from '@standard-schema/spec';
import { validatePolicy } from './validate-policy';

/** How a level counts. Each algorithm's Lua include states its bound, its memory and its cost. */
export type Algorithm = 'sliding-log';

/**
 * What becomes of a call while the store does not answer: `closed` refuses it as unavailable, `open` admits it,
 * `local` admits it within the limit as this node alone counts it. The last two mark the answer as degraded.
 */
export type OnStoreError = 'closed' | 'open' | 'local';

/** Whom a level counts, read from a call. `undefined` says that this call has no such subject. */
export type SubjectReader<Context> = (context: Context) => string | undefined;

/** Counts by a field of the input, which is validated before anything is charged. Made by `keyedBy`. */
export interface InputSubject<Context> {
  input: StandardSchemaV1;
  subject: (call: { input: unknown; context: Context }) => string;
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
}

/** A limit as an engineer declares it; `rateLimit(policy)` puts it before a procedure. */
export interface Policy<Context> {
  /** Default: the path of the procedure. Procedures that name the same policy share its windows. */
  name?: string;
  /** In checking order, narrowest first: the first that refuses is the one that the caller is told of. */
  levels: readonly Level<Context>[];
  /** What a refused caller reads, by language tag. `en` is the fallback of every language that is missing. */
  message: { readonly en: string } & Readonly<Record<string, string>>;
  /** Default: `closed`. */
  onStoreError?: OnStoreError;
  /** Units that a call takes from every level. A whole number from 1 to the smallest limit; default 1. */
  cost?: number;
  /**
   * The identity of a retried call, scoped as the retry must be (who, what, and the caller's id). A call whose identity
   * was charged in the last 24 hours is admitted again without charge. `undefined`: this call has none.
   */
  requestId?: (call: { input: unknown; context: Context }) => string | undefined;
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
export type ResolvedLevel<Context> = Required<Omit<Level<Context>, 'by'>> & Pick<Level<Context>, 'by'>;

/** Types a level that counts by input: `by: keyedBy(schema, ({ input }) => input.email)`. */
export function keyedBy<Context, Schema extends StandardSchemaV1>(
  schema: Schema,
  subject: (call: { input: StandardSchemaV1.InferOutput<Schema>; context: Context }) => string,
): InputSubject<Context> {
  return {
    input: schema,
    // The middleware hands over only what this very schema has let through.
    subject: (call) => subject(call as Parameters<typeof subject>[0]),
  };
}

/** Fills in the defaults; throws a `PolicyError` where the policy makes no sense. */
export function resolvePolicy<Context>(policy: Policy<Context>, path: string): ResolvedPolicy<Context> {
  const resolved = {
    name: policy.name ?? path,
    levels: policy.levels.map((level) => ({ algorithm: 'sliding-log' as const, ...level })),
    message: policy.message,
    onStoreError: policy.onStoreError ?? 'closed',
    cost: policy.cost ?? 1,
    requestId: policy.requestId,
  };
  validatePolicy(resolved);
  return resolved;
}
