import { getOrCreate } from '../get-or-create';
import type { EffectiveLevel, EffectivePolicy } from '../policy/overrides';
import type { LevelSubject } from '../policy/subject';
import { REQUEST_ID_TTL_MS } from './request-id';

/** A level with a lease. */
export interface LeasedLevel {
  level: EffectiveLevel & { lease: { forMs: number; maxUnits: number } };
  /** Its index in the policy. */
  index: number;
}

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
  const all = policy.levels.flatMap((level, index) =>
    level.mode === 'off' || subjects[index] == null ? [] : [{ level, index }],
  );
  const participating = all.filter(({ level }) => !level.lease);
  const levelIndexes = participating.map(({ index }) => index);
  const levels = participating.map(({ level }) => level);
  const common = { levels, levelIndexes };
  const decideArgs = { ...common, kind: 'decide', cost: policy.costOf ? undefined : policy.cost } as const;
  return {
    ...common,
    /** The leased levels, which are not in `levels`. */
    leased: all.filter((one): one is LeasedLevel => one.level.lease !== undefined),
    /** The indexes of all levels that take part. */
    allIndexes: all.map(({ index }) => index),
    /** Index of the widest enforced window that takes part: the one that most callers share. */
    widestIndex: participating.findLast(
      ({ level }) => level.mode === 'enforce' && level.algorithm !== 'in-flight',
    )?.index,
    /** True if a level counts calls in flight. */
    hasLease: levels.some(({ algorithm }) => algorithm === 'in-flight'),
    /** The policy arguments of calls without a request id. */
    policyArgs: { ...decideArgs, reserveMs: policy.settle && policy.settleMs },
    policyArgsWithRequestId: { ...decideArgs, requestTtlMs: REQUEST_ID_TTL_MS },
    /** The policy arguments of settlings. */
    settleArgs: { ...common, kind: 'settle' as const },
  };
}
