import type { SendCommand } from './batcher';
import { decodePeek, encodePeekArgs, type PeekResult } from './codec';
import type { Punished, Window } from './decision';
import type { CallKeys, Keys } from './key';
import type { EffectivePolicy, Overrides } from './overrides';
import type { ResolvedPolicy } from './policy';
import type { LevelSubject } from './subject';

/** Reads of windows that charge nothing. */
export interface Peek {
  /** Reads the windows of a policy's levels. Charges nothing. Throws `StoreUnavailableError`. */
  peek<Context>(
    policy: ResolvedPolicy<Context>,
    options: { subjects: readonly LevelSubject[]; levels?: readonly number[] },
  ): Promise<{ now: number; windows: Window[] }>;
  /** Reads the window and punishment of one level by the pseudonym of its subject, like `peek`. */
  peekByPseudonym<Context>(
    policy: ResolvedPolicy<Context>,
    options: { index: number; pseudonym: string },
  ): Promise<{ now: number; window: Window; punished: Punished | undefined }>;
}

/** Creates the functions that read windows without charging them. */
export function createPeek({
  keys: allKeys,
  overrides,
  sendCommand,
}: {
  keys: Keys;
  overrides: Overrides;
  sendCommand: SendCommand;
}): Peek {
  async function peekLevels<Context>(
    policy: EffectivePolicy<Context>,
    { keys, levelIndexes }: { keys: CallKeys; levelIndexes: readonly number[] },
  ): Promise<PeekResult> {
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
    return sendCommand({
      policyArgs: encodePeekArgs(levels),
      keys: storeKeys,
      args: banMembers,
      decode: (reply) => decodePeek(policy, levels, reply),
    });
  }

  return {
    async peek(declared, { subjects, levels: levelIndexes = [...declared.levels.keys()] }) {
      const policy = overrides.apply(declared);
      const { now, windows } = await peekLevels(policy, {
        keys: allKeys.of(declared, subjects),
        levelIndexes,
      });
      return { now, windows };
    },

    async peekByPseudonym(declared, { index, pseudonym }) {
      const policy = overrides.apply(declared);
      const keys = allKeys.ofPseudonym(declared, pseudonym);
      const { now, windows, punished } = await peekLevels(policy, { keys, levelIndexes: [index] });
      const [window] = windows;
      if (!window) throw new RangeError(`"${policy.name}" has no level ${index}`);
      return { now, window, punished: punished[0] };
    },
  };
}
