import type { CountedSubjects } from '../policy/counted-subjects';
import {
  type ReadablePolicy,
  resolveReadablePolicy,
  type SubjectsOf,
  subjectNames,
} from '../policy/named-policy';
import type { Overrides } from '../policy/overrides';
import { type PersonCall, type Persons, toPersonalWindows } from '../policy/person';
import type { ResolvedPolicy } from '../policy/policy';
import { isMissing, type Subjects } from '../policy/subject';
import type { SendCommand } from './batcher';
import { levelKeys } from './call-levels';
import { decodePeek, encodePersonalNumbers, encodePolicyArgs, type PeekResult } from './codec';
import type { DecideOptions } from './decide';
import type { Punished, Window } from './decision';
import type { Keys } from './key';
import { rejectUnknownOptions } from './limiter-options';

/** Reads of windows that charge nothing. */
export interface Peek {
  /**
   * Reads windows of a policy. Charges nothing. Throws `StoreUnavailableError`. `levels`: the names of the levels to read; by
   * default `global` and those whose subjects are given.
   */
  peek<const P extends ReadablePolicy>(
    policy: P,
    subjects: Partial<SubjectsOf<P>> | Subjects,
    options?: Pick<DecideOptions, 'plans'> & { levels?: readonly string[] },
  ): Promise<{ now: number; windows: Window[] }>;
  /** Reads the window and punishment of one level by the pseudonym of its subject, like `peek`. */
  peekByPseudonym(
    policy: ReadablePolicy,
    options: { level: string; pseudonym: string },
  ): Promise<{ now: number; window: Window; punished: Punished | undefined }>;
}

/** The newest hits of each level that a peek returns, at most. */
const MAX_PEEKED_HITS = 200;

/** Creates the functions that read windows without charging them. */
export function createPeek({
  keys: allKeys,
  countedSubjects,
  overrides,
  persons,
  sendCommand,
}: {
  keys: Keys;
  countedSubjects: CountedSubjects;
  overrides: Overrides;
  persons: Pick<Persons, 'resolve'>;
  sendCommand: SendCommand;
}): Peek {
  async function peekLevels(
    declared: ResolvedPolicy,
    { names, ...call }: PersonCall & { names: readonly string[] },
  ): Promise<PeekResult> {
    const common = overrides.apply(declared);
    const personal = persons.resolve(common, call);
    const { policy } = personal;
    const { keys } = call;
    const peeked = [...policy.levels.entries()].filter(([, { level }]) => names.includes(level));
    const levels = peeked.map(([, level]) => ({ ...level, queue: undefined, shared: undefined }));
    const levelIndexes = peeked.map(([index]) => index);
    const punishing = levelIndexes.filter((index) => policy.levels[index]?.punishment);
    const banMembers = punishing.map((index) => keys.banMember(index));
    const numbers = encodePersonalNumbers(levels);
    return sendCommand({
      policyArgs: encodePolicyArgs(levels, { charge: 0, hits: MAX_PEEKED_HITS }),
      keys: levelKeys(keys, levelIndexes, punishing),
      args: numbers === '' ? banMembers : [...banMembers, numbers],
      decode(reply) {
        const peek = decodePeek(policy, levels, reply);
        return { ...peek, windows: toPersonalWindows(peek.windows, common, personal) };
      },
    });
  }

  return {
    async peek(policy, given, { plans, levels } = {}) {
      const declared = resolveReadablePolicy(policy);
      rejectUnknownOptions(`Policy "${declared.name}"`, given, subjectNames(declared));
      const named = given as Subjects;
      const names =
        levels ??
        declared.levels
          .map(({ level }) => level)
          .filter((level) => level === 'global' || !isMissing(named[level]));
      const subjects = countedSubjects.ofPeek(declared, named);
      const keys = allKeys.of(declared, subjects);
      const { now, windows } = await peekLevels(declared, { keys, subjects, plans, names });
      return { now, windows };
    },

    async peekByPseudonym(policy, { level, pseudonym }) {
      const declared = resolveReadablePolicy(policy);
      const keys = allKeys.ofPseudonym(declared, pseudonym);
      const subjects = declared.levels.map(() => pseudonym);
      const call = { keys, subjects, plans: undefined, names: [level] };
      const { now, windows, punished } = await peekLevels(declared, call);
      const [window] = windows;
      if (!window) throw new RangeError(`"${declared.name}" has no level "${level}"`);
      return { now, window, punished: punished[0] };
    },
  };
}
