import { getOrCreate } from '../get-or-create';
import { describeType, LimiterOptionError, rejectUnknownOptions } from '../options';
import { statedCost } from './cost';
import type { InFlightLevel, Level, Policy, ResolvedPolicy, Subject } from './policy';
import { resolvePolicy } from './resolve-policy';
import { assertPolicy, PolicyError } from './validate-policy';

/** The values of a call by name, as the functions of a policy read them in `context`. */
export type NamedCall = Readonly<Record<string, unknown>>;

/** A level whose subject is the value of its name in a call: `email` counts by `check(policy, { email })`. */
export type NamedLevel = Unread<Level<NamedCall>> | Unread<InFlightLevel<NamedCall>>;

/** A level without `by`. */
export type Unread<L> = Omit<L, 'by'> & { by?: undefined };

/** A limit for calls by name. */
export interface NamedPolicy extends Omit<Policy<NamedCall>, 'name' | 'levels' | 'message'> {
  /** Unique in the store's prefix. Letters, digits and `.`, `_`, `-`, `%`. */
  name: string;
  /** In checking order, narrowest first: a refusal names the first level that refuses. */
  levels: readonly NamedLevel[];
  /** The text of a refusal, by language tag. Default: an English sentence. */
  message?: Policy<NamedCall>['message'];
}

/** A policy whose windows, bans and queue can be read: a policy by name, of tRPC with a `name`, or of `policiesOf`. */
export type ReadablePolicy = NamedPolicy | Policy | ResolvedPolicy;

type NameOf<L> = L extends { level: infer Name extends string } ? Name : never;
type OptionalNameOf<L> = L extends { ifMissing: 'skip' | { readonly subject: string } } ? NameOf<L> : never;
type LevelOf<P extends ReadablePolicy> = P['levels'][number];
type RequiredName<P extends ReadablePolicy> = Exclude<
  NameOf<LevelOf<P>>,
  'global' | OptionalNameOf<LevelOf<P>>
>;

/**
 * The subjects that a call of a policy needs: one for each level except `global`, optional for a level with `ifMissing`.
 * All are optional if the type of the policy does not state the names; declare it with `definePolicy`.
 */
export type SubjectsOf<P extends ReadablePolicy> =
  string extends NameOf<LevelOf<P>>
    ? Readonly<Record<string, Subject>>
    : { readonly [Name in RequiredName<P>]: string | number | bigint } & {
        readonly [Name in OptionalNameOf<LevelOf<P>>]?: Subject;
      };

/** `cost` is required in the calls of a policy with a `maxCost` and no `cost` of its own. */
export type StatedCost<P extends NamedPolicy> = [P] extends [{ maxCost: number }]
  ? [P] extends [{ cost: unknown }]
    ? unknown
    : { cost: number }
  : unknown;

/** Returns a policy with the type of its names, and validates it. Throws a `PolicyError`. */
export function definePolicy<const P extends NamedPolicy>(policy: P): P {
  resolveNamedPolicy(policy);
  return policy;
}

export const DEFAULT_MESSAGE = { en: 'Too many requests. Try again later.' };
/** Names of a call that are no subjects. */
const RESERVED = new Set(['cost', 'input', 'requestId', 'timeoutMs']);
const BUILT_IN = new Set(['global', 'user', 'ip']);

const resolvedPolicies = new WeakMap<object, ResolvedPolicy<NamedCall>>();

/** Returns a policy by name as the limiter reads it. The same object always returns the same resolved policy. */
export function resolveNamedPolicy(policy: NamedPolicy): ResolvedPolicy<NamedCall> {
  assertPolicy(policy);
  const known = resolvedPolicies.get(policy);
  if (known) return known;
  const { message = DEFAULT_MESSAGE, levels } = policy;
  const readable = Array.isArray(levels)
    ? levels.map((level) => withSubject(policy.name ?? '', level))
    : levels;
  const { cost = policy.maxCost === undefined ? undefined : statedCost } = policy;
  // A policy that tRPC reads, too, has one resolved object, and so one queue.
  const isTrpc =
    policy.message && cost === policy.cost && readable.every((level, index) => level === levels[index]);
  const costs = cost && { cost };
  const complete = isTrpc
    ? (policy as Policy<NamedCall>)
    : { ...policy, ...costs, message, levels: readable };
  const resolved = resolvePolicy<NamedCall>(complete, policy.name ?? '');
  resolvedPolicies.set(policy, resolved);
  return resolved;
}

/** Returns a policy whose keys are read by name, so that the functions of the policy are not called. */
export function resolveReadablePolicy(policy: ReadablePolicy): ResolvedPolicy {
  assertPolicy(policy);
  if ('costOf' in policy) return policy;
  return isNamedPolicy(policy) ? resolveNamedPolicy(policy) : resolvePolicy(policy, policy.name ?? '');
}

/** Returns the names of the subjects in a call. `user` and `ip` name every caller, also where no level counts by them. */
export function subjectNames({ levels }: ResolvedPolicy): Record<string, true> {
  const names = levels.map(({ level }) => level);
  return Object.fromEntries([...names, 'user', 'ip'].map((name) => [name, true]));
}

/** Throws a `LimiterOptionError` if a call is no object, or has a name that its policy does not know. */
export function validateCall(
  { name, levels }: ResolvedPolicy,
  { call, known }: { call: unknown; known: Readonly<Record<string, true>> },
): void {
  if (typeof call !== 'object' || call === null) {
    const own = levels.find(({ level }) => level !== 'global');
    const fix = `Give an object with its subjects by name, as in ${own ? `{ "${own.level}": … }` : '{}'}.`;
    // A subject is not written to a log.
    throw new LimiterOptionError('the call', describeType(call), fix, `Policy "${name}"`);
  }
  rejectUnknownOptions(`Policy "${name}"`, call, known);
}

/** Returns true if no level reads its subject from a context of tRPC. */
function isNamedPolicy(policy: NamedPolicy | Policy): policy is NamedPolicy {
  return policy.name !== undefined && policy.levels.every(({ by }) => by === undefined);
}

/** Adds the reader of a level's subject, which the limiter has itself for its built-in names. */
function withSubject(policy: string, declared: NamedLevel): Level<NamedCall> | InFlightLevel<NamedCall> {
  const { level: name } = declared;
  if (RESERVED.has(name)) {
    const fix = 'Use another name: a call has a value of this name that is no subject.';
    throw new PolicyError(policy, { field: 'level', value: name, fix });
  }
  if (BUILT_IN.has(name) || declared.by !== undefined) return declared;
  return { ...declared, by: getOrCreate(readers, name, () => (call) => call[name] as Subject) };
}

type Reader = (call: NamedCall) => Subject;

/** One for each name, so that two declarations of a shared level have the same. */
const readers = new Map<string, Reader>();
