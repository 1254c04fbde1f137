import type { StandardSchemaV1 } from '@standard-schema/spec';
import { FloodgateError } from '../floodgate-error';
import type { InputSubject, PolicyCall, ResolvedLevel, ResolvedPolicy, Subject } from './policy';

/** The subjects of the levels `user` and `ip`. */
export interface Caller {
  user?: Subject;
  ip?: Subject;
}

/** A call, for the levels of a policy. */
export interface Call<Context> {
  caller: Caller;
  context: Context;
  /** Returns the raw input. Called only if a level counts by input, or if the policy reads it in a `requestId`, `cost`, `when` or
   * plan. */
  input: () => Promise<unknown>;
}

/** The input field that a level counts by does not match its schema. Nothing is charged. */
export class InvalidSubjectError extends FloodgateError {
  static override readonly code = 'INVALID_SUBJECT';
  readonly issues: readonly StandardSchemaV1.Issue[];

  constructor(issues: readonly StandardSchemaV1.Issue[]) {
    super(issues.map(({ message }) => message).join('; '));
    this.name = 'InvalidSubjectError';
    this.issues = issues;
  }
}

/** A level counts by a subject that this call does not have: an error in the policy. */
export class MissingSubjectError extends FloodgateError {
  static override readonly code = 'MISSING_SUBJECT';
  constructor(policy: string, level: string) {
    super(
      `Policy "${policy}" counts by "${level}", and this call has none. Give the call one, or set ifMissing.`,
    );
    this.name = 'MissingSubjectError';
  }
}

/** A level cannot count a subject: an error in the call or in `by`. Nothing is charged. */
export class SubjectError extends FloodgateError {
  static override readonly code = 'UNCOUNTABLE_SUBJECT';
  constructor(policy: string, level: string, { problem, fix }: { problem: string; fix: string }) {
    super(`Policy "${policy}" counts by "${level}", which ${problem} in this call. ${fix}`);
    this.name = 'SubjectError';
  }
}

/** Stands for the subject of a level that takes no part in a call. Bundles that have a copy of this module share it. */
export const EXCLUDED: unique symbol = Symbol.for('floodgate-limiter.excluded') as never;

/** The subjects of a call by the names of its levels. The level `global` needs none. */
export type Subjects = Readonly<Record<string, Subject | typeof EXCLUDED>>;

/** The text that a level counts in one call: `undefined` if it skips the call, `null` if it is excluded. */
export type LevelSubject = string | null | undefined;

/** Returns true if a call has no such subject. */
export function isMissing(subject: unknown): subject is null | undefined | '' {
  return subject === undefined || subject === null || subject === '';
}

/** Reads the subject of each level that takes part. */
export async function subjectsOf<Context>(
  policy: ResolvedPolicy<Context>,
  call: Call<Context>,
  takesPart: (level: string) => boolean = () => true,
): Promise<Subjects> {
  const subjects: Record<string, Subjects[string]> = {};
  for (const level of policy.levels) {
    const { level: name } = level;
    subjects[name] = takesPart(name) ? await subjectOf(level, call) : EXCLUDED;
  }
  return subjects;
}

/**
 * Returns the subject of each level that counts this caller or this input. `global` and a level that has no subject here
 * are absent; without an input, also every level keyed by input.
 *
 * @throws InvalidSubjectError if the input does not match the schema of a level keyed by it.
 */
export async function viewedSubjectsOf<Context>(
  policy: ResolvedPolicy<Context>,
  { caller, context, input }: Pick<Call<Context>, 'caller' | 'context'> & { input: unknown },
): Promise<Record<string, Subject>> {
  const call: Call<Context> = { caller, context, input: async () => input };
  const subjects: Record<string, Subject> = {};
  for (const level of policy.levels) {
    if (level.level === 'global' || (typeof level.by === 'object' && input === undefined)) continue;
    const subject = await subjectOf(level, call);
    if (!isMissing(subject)) subjects[level.level] = subject;
  }
  return subjects;
}

async function subjectOf<Context>(level: ResolvedLevel<Context>, call: Call<Context>): Promise<Subject> {
  const { level: name, by } = level;
  if (typeof by === 'function') return by(call.context);
  if (by) return inputSubject(level, by, call);
  if (name === 'global') return undefined;
  return name === 'user' ? call.caller.user : call.caller.ip;
}

async function inputSubject<Context>(
  { level, ifMissing }: ResolvedLevel<Context>,
  by: InputSubject<Context>,
  call: Call<Context>,
): Promise<Subject> {
  const parsed = await by.input['~standard'].validate(await call.input());
  if (parsed.issues) throw new InvalidSubjectError(parsed.issues);
  const subject = await by.subject({ input: parsed.value, context: call.context });
  // The caller chose this value, so it is a bad request and not an error of the policy.
  if (isMissing(subject) && ifMissing === 'error')
    throw new InvalidSubjectError([{ message: `${level} must not be empty.` }]);
  return subject;
}

/** Returns true if a level counts by the caller alone, so that its window can be read without an input. */
export function isKeyedByCaller<Context>(level: ResolvedLevel<Context>): boolean {
  return level.level === 'user' || level.level === 'ip';
}

const NONE: readonly string[] = [];

/** Returns the names of the levels whose condition (`when`) excludes them from a call. */
export function excludedLevels<Context>(
  { levels }: ResolvedPolicy<Context>,
  call: PolicyCall<Context>,
): readonly string[] {
  if (!levels.some(({ when }) => when)) return NONE;
  return levels.flatMap(({ level, when }) => (when && !when(call) ? [level] : []));
}

/** Returns the ticket that a call requests in the queue of its policy. */
export function requestedTicket<Context>(
  { levels }: ResolvedPolicy<Context>,
  call: PolicyCall<Context>,
): { group: string; payload: string } | undefined {
  return levels.at(-1)?.queue?.ticket?.(call);
}
