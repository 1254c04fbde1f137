import type { CountedSubjects } from '../policy/counted-subjects';
import {
  type ReadablePolicy,
  resolveReadablePolicy,
  type SubjectsOf,
  subjectNames,
  validateCall,
} from '../policy/named-policy';
import type { EffectiveLevel, Overrides } from '../policy/overrides';
import type { ResolvedPolicy } from '../policy/policy';
import { isMissing, type Subjects } from '../policy/subject';
import type { DecideReply } from '../stores/store';
import type { SendCommand } from './batcher';
import type { DecideOptions } from './decide';
import { type Punished, toLevelState, type Window } from './decision';
import { unknownLevel } from './deletions';
import type { CallKeys, Keys } from './key';
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
export function createPeek(parts: {
  keys: Keys;
  countedSubjects: CountedSubjects;
  overrides: Overrides;
  persons: Pick<Persons, 'resolve'>;
  sendCommand: SendCommand;
}): Peek {
  const { keys: allKeys, countedSubjects, overrides, persons, sendCommand } = parts;

  async function peekLevels(
    declared: ResolvedPolicy,
    { names, ...call }: PersonCall & { names: readonly string[] },
  ) {
    const common = overrides.apply(declared);
    const personal = persons.resolve(common, call);
    const { policy } = personal;
    const { keys } = call;
    const peeked = [...policy.levels.entries()].filter(([, { level }]) => names.includes(level));
    // Leased levels have slots of their own.
    const leased = peeked.filter(([, { lease }]) => lease);
    const others = peeked.filter(([, { lease }]) => !lease);
    const groups = leased.map((one) => [one]);
    if (others.length > 0 || leased.length === 0) groups.push(others);
    const results = await Promise.all(groups.map((group) => peekGroup(policy.name, keys, group)));
    const states = peeked.flatMap(([, { level }]) =>
      results.flatMap(({ states }) => states.filter(({ window }) => window.level === level)),
    );
    const windows = states.map(({ window }) => window);
    return {
      now: Math.max(...results.map(({ now }) => now)),
      windows: toPersonalWindows(windows, common, personal),
      punished: states.map(({ punished }) => punished),
    };
  }

  /** Reads levels that are in one slot. A leased one is charged in windows of `windowMs + forMs`. */
  function peekGroup(policy: string, keys: CallKeys, group: readonly [number, EffectiveLevel][]) {
    const levels = group.map(([, level]) => level);
    const read = levels.map((level) =>
      level.lease ? { ...level, windowMs: level.windowMs + level.lease.forMs } : level,
    );
    const levelIndexes = group.map(([index]) => index);
    const policyArgs = { kind: 'peek', levels: read, levelIndexes, hits: MAX_PEEKED_HITS } as const;
    return sendCommand({ policyArgs, keys, cost: 0 }, (reply) => toPeekResult(policy, levels, reply));
  }

  return {
    async peek(policy, given, { plans, levels } = {}) {
      const declared = resolveReadablePolicy(policy);
      validateCall(declared, { call: given, known: subjectNames(declared) });
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
      if (!window) throw unknownLevel(declared, { level, fn: 'peekByPseudonym' });
      return { now, window, punished: punished[0] };
    },
  };
}

/** The windows of the peeked levels, in their order, and their punishments where the levels punish. */
interface PeekResult {
  now: number;
  states: { window: Window; punished: Punished | undefined }[];
}

function toPeekResult(
  policy: string,
  levels: readonly EffectiveLevel[],
  { now, levels: replies }: DecideReply,
): PeekResult {
  const states = levels.map((level, index) => {
    const reply = replies[index];
    if (!reply) throw new TypeError(`the store replied ${replies.length} levels of ${policy}`);
    const { resetMs: _omitted, punished, ...shown } = toLevelState(level, reply);
    const banned = punished?.bannedUntil ? { bannedUntil: punished.bannedUntil } : {};
    return { punished, window: { policy, ...shown, hits: [...reply.hits], mode: level.mode, ...banned } };
  });
  return { now, states };
}
