import type { CountedSubjects } from '../policy/counted-subjects';
import type { Overrides } from '../policy/overrides';
import { type PersonCall, type Persons, toPersonalWindows } from '../policy/person';
import type { ResolvedPolicy } from '../policy/policy';
import type { SendCommand } from './batcher';
import { levelKeys } from './call-levels';
import { decodePeek, encodePersonalNumbers, encodePolicyArgs, type PeekResult } from './codec';
import type { Punished, Window } from './decision';
import type { Keys } from './key';
import type { DecideOptions } from './limiter';

/** Reads of windows that charge nothing. */
export interface Peek {
  /** Reads the windows of a policy's levels. Charges nothing. Throws `StoreUnavailableError`. */
  peek(
    policy: ResolvedPolicy,
    /** `levels`: the names of the levels to read. Default: all. */
    options: Pick<DecideOptions, 'subjects' | 'plans'> & { levels?: readonly string[] },
  ): Promise<{ now: number; windows: Window[] }>;
  /** Reads the window and punishment of one level by the pseudonym of its subject, like `peek`. */
  peekByPseudonym(
    policy: ResolvedPolicy,
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
    { names, ...call }: PersonCall & { names: readonly string[] | undefined },
  ): Promise<PeekResult> {
    const common = overrides.apply(declared);
    const personal = persons.resolve(common, call);
    const { policy } = personal;
    const { keys } = call;
    const peeked = [...policy.levels.entries()].filter(([, { level }]) => !names || names.includes(level));
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
    async peek(declared, { subjects: named, plans, levels: names }) {
      const subjects = countedSubjects.ofPeek(declared, named);
      const keys = allKeys.of(declared, subjects);
      const { now, windows } = await peekLevels(declared, { keys, subjects, plans, names });
      return { now, windows };
    },

    async peekByPseudonym(declared, { level, pseudonym }) {
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
