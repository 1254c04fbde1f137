import type { EffectivePolicy } from '../policy/overrides';
import type { LevelSubject } from '../policy/subject';
import { encodePersonalNumbers, encodePolicyArgs, REQUEST_ID_TTL_MS } from './codec';
import { getOrCreate } from './get-or-create';
import type { CallKeys } from './key';

/** The levels of a policy that take part in a call, with their policy arguments. Many calls share them. */
export type CallLevels = ReturnType<typeof toCallLevels>;

/**
 * Creates the function that returns the levels of a call. Calls with the same levels share them. Warns once about each level
 * that a call skips.
 */
export function createCallLevels({ onWarning }: { onWarning: (message: string) => void }) {
  const byPolicy = new WeakMap<object, Map<string, CallLevels>>();
  const skipped = new Set<string>();

  function warnOfSkipped(policy: EffectivePolicy, subjects: readonly LevelSubject[]): void {
    for (const [index, { level }] of policy.levels.entries()) {
      const name = `${policy.name}:${level}`;
      if (subjects[index] !== undefined || skipped.has(name)) continue;
      skipped.add(name);
      onWarning(
        `Level "${name}" does not count calls that have no subject for it, because its policy has ifMissing "skip".`,
      );
    }
  }

  return function callLevelsOf(policy: EffectivePolicy, subjects: readonly LevelSubject[]): CallLevels {
    const byPresence = getOrCreate(byPolicy, policy, () => new Map());
    let presence = '';
    for (let index = 0; index < policy.levels.length; index += 1) {
      const subject = subjects[index];
      presence += subject === undefined ? '0' : subject === null ? '-' : '1';
    }
    return getOrCreate(byPresence, presence, () => {
      warnOfSkipped(policy, subjects);
      return toCallLevels(policy, subjects);
    });
  };
}

function toCallLevels(policy: EffectivePolicy, subjects: readonly LevelSubject[]) {
  const participating = policy.levels.flatMap((level, index) =>
    level.mode === 'off' || subjects[index] == null ? [] : [{ level, index }],
  );
  const levelIndexes = participating.map(({ index }) => index);
  const levels = participating.map(({ level }) => level);
  const punishing = participating.filter(({ level }) => level.punishment).map(({ index }) => index);
  const hasQueue = levels.some(({ queue }) => queue);
  const sharedLevels = participating.filter(({ level }) => level.shared !== undefined);
  // A call that settles joins the generations of all its levels, another one reads that of a shared level.
  const generations = policy.settle ? levelIndexes : sharedLevels.map(({ index }) => index);
  const charge = policy.costOf ? '*' : policy.cost;
  const personalNumbers = encodePersonalNumbers(levels);
  return {
    /** Indexes in the policy of the levels that take part. */
    levelIndexes,
    levels,
    /** Index of the widest enforced window that takes part: the one that most callers share. */
    widestIndex: participating.findLast(
      ({ level }) => level.mode === 'enforce' && level.algorithm !== 'in-flight',
    )?.index,
    /** True if a level counts calls in flight. */
    hasLease: levels.some(({ algorithm }) => algorithm === 'in-flight'),
    /** The policy arguments of calls without a request id. */
    policyArgs: encodePolicyArgs(levels, { charge, record: policy.settle && `reserve=${policy.settleMs}` }),
    policyArgsWithRequestId: encodePolicyArgs(levels, { charge, record: REQUEST_ID_TTL_MS }),
    /** The policy arguments of settlings. */
    settleArgs: encodePolicyArgs(levels, { charge: 'settle' }),
    /** Returns the keys of decide.lua, except those of the request id and of the reservation. */
    storeKeys(keys: CallKeys): string[] {
      const storeKeys = levelKeys(keys, levelIndexes, punishing);
      if (hasQueue) storeKeys.push(keys.queue('queue'));
      for (const index of generations) storeKeys.push(keys.generation(index));
      return storeKeys;
    },
    /** Returns the numbers of a call that the policy arguments have `*` for, as one argument; '' if there are none. */
    encodeNumbers: (cost: number) => (policy.costOf ? `${cost} ${personalNumbers}` : personalNumbers),
    /** Returns the member of each punishing level in the zset of bans. */
    banMembers: (keys: CallKeys) => punishing.map((index) => keys.banMember(index)),
  };
}

/** Returns the keys of levels, then those of the punishments, in the order of decide.lua. */
export function levelKeys(keys: CallKeys, levels: readonly number[], punishing: readonly number[]): string[] {
  const storeKeys = levels.map((index) => keys.level(index));
  if (punishing.length > 0) storeKeys.push(...punishing.map((index) => keys.violations(index)), keys.bans());
  return storeKeys;
}
