import type { StandardSchemaV1 } from '@standard-schema/spec';
import { FloodgateError } from '../floodgate-error';
import type { InputSubject, PolicyCall, ResolvedLevel, ResolvedPolicy } from './policy';

/** The subjects of the levels `user` and `ip`. */
export interface Caller {
  user?: string | undefined;
  ip?: string | undefined;
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

/** A level's subject is an empty string, so all such calls would be counted as one caller: an error in `by`. */
export class EmptySubjectError extends FloodgateError {
  static override readonly code = 'EMPTY_SUBJECT';
  constructor(policy: string, level: string) {
    super(
      `Policy "${policy}" counts by "${level}", whose subject is an empty string in this call. Return undefined where a call has none, and set ifMissing.`,
    );
    this.name = 'EmptySubjectError';
  }
}

/** A level's subject in one call: `undefined` if the call has none, `null` if the level takes no part in the call. */
export type LevelSubject = string | null | undefined;

/** The subjects of a call by the names of its levels. The level `global` needs none, but `null` excludes it. */
export type Subjects = Readonly<Record<string, LevelSubject>>;

/** Returns subjects in the order of the levels, for the parts of the limiter that work by the index of a level. */
export function orderSubjects({ levels }: ResolvedPolicy, subjects: Subjects): LevelSubject[] {
  return levels.map(({ level }) => {
    const subject = subjects[level];
    return subject === undefined && level === 'global' ? '' : subject;
  });
}

/** Returns the subject of each level; `undefined` if the call has none and the level skips such calls. */
export async function subjectsOf<Context>(
  policy: ResolvedPolicy<Context>,
  call: Call<Context>,
  takesPart: (level: string) => boolean = () => true,
): Promise<Subjects> {
  const subjects: Record<string, LevelSubject> = {};
  for (const level of policy.levels) {
    const { level: name } = level;
    subjects[name] = takesPart(name)
      ? checkedSubject(policy.name, level, await subjectOf(level, call))
      : null;
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
): Promise<Record<string, string>> {
  const call: Call<Context> = { caller, context, input: async () => input };
  const subjects: Record<string, string> = {};
  for (const level of policy.levels) {
    if (level.level === 'global' || (typeof level.by === 'object' && input === undefined)) continue;
    const subject = await subjectOf(level, call);
    if (subject) subjects[level.level] = subject;
  }
  return subjects;
}

/** Returns the subject of a call at a level, or what replaces it if the call has none. Throws for an empty one. */
export function checkedSubject<Context>(
  policy: string,
  { level, ifMissing }: ResolvedLevel<Context>,
  subject: string | undefined,
): string | undefined {
  if (subject === '' && level !== 'global') throw new EmptySubjectError(policy, level);
  if (subject !== undefined || ifMissing === 'skip') return subject;
  if (ifMissing === 'error') throw new MissingSubjectError(policy, level);
  // The NUL makes it different from every real subject.
  return `\0${ifMissing.subject}`;
}

async function subjectOf<Context>(
  { level, by }: ResolvedLevel<Context>,
  call: Call<Context>,
): Promise<string | undefined> {
  if (typeof by === 'function') return by(call.context);
  if (by) return inputSubject(level, by, call);
  if (level === 'global') return '';
  return level === 'user' ? call.caller.user : call.caller.ip;
}

async function inputSubject<Context>(
  level: string,
  by: InputSubject<Context>,
  call: Call<Context>,
): Promise<string> {
  const parsed = await by.input['~standard'].validate(await call.input());
  if (parsed.issues) throw new InvalidSubjectError(parsed.issues);
  const subject = await by.subject({ input: parsed.value, context: call.context });
  // The caller chose this text, so it is a bad request and not an error of the policy.
  if (subject === '') throw new InvalidSubjectError([{ message: `${level} must not be empty.` }]);
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
