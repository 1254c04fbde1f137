import type { SendCommand } from './batcher';
import { decodePeek, encodePeekArgs, encodePersonalNumbers, type PeekResult } from './codec';
import type { Punished, Window } from './decision';
import type { Keys } from './key';
import type { DecideOptions } from './limiter';
import type { EffectivePolicy, Overrides } from './overrides';
import { type PersonCall, type Persons, toPersonalWindows } from './person';
import type { ResolvedPolicy } from './policy';
import { orderSubjects } from './subject';

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

/** Creates the functions that read windows without charging them. */
export function createPeek({
  keys: allKeys,
  overrides,
  persons,
  sendCommand,
}: {
  keys: Keys;
  overrides: Overrides;
  persons: Pick<Persons, 'resolve'>;
  sendCommand: SendCommand;
}): Peek {
  async function peekLevels(
    common: EffectivePolicy,
    { levelIndexes, ...call }: PersonCall & { levelIndexes: readonly number[] },
  ): Promise<PeekResult> {
    const personal = persons.resolve(common, call);
    const { policy } = personal;
    const { keys } = call;
    const peeked = levelIndexes.flatMap((index) => {
      const level = policy.levels[index];
      return level ? [{ level, index }] : [];
    });
    const levels = peeked.map(({ level }) => level);
    const punishing = peeked.filter(({ level }) => level.punishment);
    const storeKeys = [
      ...peeked.map(({ index }) => keys.level(index)),
      ...punishing.map(({ index }) => keys.violations(index)),
      ...(punishing.length > 0 ? [keys.bans()] : []),
    ];
    const banMembers = punishing.map(({ index }) => keys.banMember(index));
    const numbers = encodePersonalNumbers(levels);
    return sendCommand({
      policyArgs: encodePeekArgs(levels),
      keys: storeKeys,
      args: numbers === '' ? banMembers : [...banMembers, numbers],
      decode(reply) {
        const peek = decodePeek(policy, levels, reply);
        return { ...peek, windows: toPersonalWindows(peek.windows, common, personal) };
      },
    });
  }

  return {
    async peek(declared, { subjects: named, plans, levels }) {
      const policy = overrides.apply(declared);
      const subjects = orderSubjects(declared, named);
      const levelIndexes = declared.levels.flatMap(({ level }, index) =>
        !levels || levels.includes(level) ? [index] : [],
      );
      const { now, windows } = await peekLevels(policy, {
        ...{ subjects, plans, levelIndexes },
        keys: allKeys.of(declared, subjects),
      });
      return { now, windows };
    },

    async peekByPseudonym(declared, { level, pseudonym }) {
      const index = declared.levels.findIndex((one) => one.level === level);
      const policy = overrides.apply(declared);
      const keys = allKeys.ofPseudonym(declared, pseudonym);
      const { now, windows, punished } = await peekLevels(policy, {
        ...{ keys, plans: undefined, levelIndexes: [index] },
        subjects: policy.levels.map(() => pseudonym),
      });
      const [window] = windows;
      if (!window) throw new RangeError(`"${policy.name}" has no level "${level}"`);
      return { now, window, punished: punished[0] };
    },
  };
}
