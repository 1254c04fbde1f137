import { rejectUnknownOptions } from '../options';
import type { CountedSubjects } from '../policy/counted-subjects';
import {
  type ReadablePolicy,
  resolveReadablePolicy,
  type SubjectsOf,
  subjectNames,
} from '../policy/named-policy';
import type { EffectiveLevel, Overrides } from '../policy/overrides';
import type { ResolvedPolicy } from '../policy/policy';
import { isMissing, type Subjects } from '../policy/subject';
import type { DecideReply } from '../stores/store';
import type { SendCommand } from './batcher';
import type { DecideOptions } from './decide';
import { type Punished, toLevelState, type Window } from './decision';
import type { Keys } from './key';
import { type PersonCall, type Persons, toPersonalWindows } from './person';

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
    const levels = peeked.map(([, level]) => level);
    const levelIndexes = peeked.map(([index]) => index);
    const policyArgs = { kind: 'peek', levels, levelIndexes, hits: MAX_PEEKED_HITS } as const;
    return sendCommand({ policyArgs, keys, cost: 0 }, (reply) => {
      const peek = toPeekResult(policy.name, levels, reply);
      return { ...peek, windows: toPersonalWindows(peek.windows, common, personal) };
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

/** The windows and punishments of the peeked levels, in their order. */
interface PeekResult {
  now: number;
  windows: Window[];
  /** `undefined` for a level that does not punish. */
  punished: (Punished | undefined)[];
}

function toPeekResult(
  policy: string,
  levels: readonly EffectiveLevel[],
  { now, levels: replies }: DecideReply,
): PeekResult {
  const peeked = levels.map((level, index) => {
    const reply = replies[index];
    if (!reply) throw new TypeError(`the store replied ${replies.length} levels of ${policy}`);
    const { resetMs: _omitted, punished, ...shown } = toLevelState(level, reply);
    const banned = punished?.bannedUntil ? { bannedUntil: punished.bannedUntil } : {};
    return { punished, window: { policy, ...shown, hits: [...reply.hits], mode: level.mode, ...banned } };
  });
  return {
    now,
    windows: peeked.map(({ window }) => window),
    punished: peeked.map(({ punished }) => punished),
  };
}
