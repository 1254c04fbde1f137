import { encodeDecideArgs, type PolicyArgs } from './codec';
import type { CallKeys } from './key';
import type { EffectiveLevel, EffectivePolicy } from './overrides';
import type { LevelSubject } from './subject';

/** Which levels of a policy take part in a call, and what the store is told of them: made once, used by many calls. */
export interface Plan<Context> {
  /** Places in the policy of the levels that take part. */
  levelIndexes: readonly number[];
  levels: readonly EffectiveLevel<Context>[];
  /** Of the enforced levels that take part, the place of the widest: the one that most callers share. */
  widestIndex: number | undefined;
  /** What decide.lua is told of them, of a call without a request id and of one that has one. */
  policyArgs: PolicyArgs;
  policyArgsWithRequestId: PolicyArgs;
  /** The keys of decide.lua, without the request id's. */
  storeKeys(keys: CallKeys): string[];
  /** The members of decide.lua. */
  banMembers(keys: CallKeys): string[];
}

export interface Plans {
  get<Context>(policy: EffectivePolicy<Context>, subjects: readonly LevelSubject[]): Plan<Context>;
}

/** Plans of all policies in force, each made when its first call comes. Warns once of each level that a call skips. */
export function createPlans({ onWarning }: { onWarning: (message: string) => void }): Plans {
  const made = new WeakMap<object, Map<string, Plan<never>>>();
  const skipped = new Set<string>();

  function warnOfSkipped<Context>(policy: EffectivePolicy<Context>, subjects: readonly LevelSubject[]): void {
    for (const [place, { level }] of policy.levels.entries()) {
      const name = `${policy.name}:${level}`;
      if (subjects[place] !== undefined || skipped.has(name)) continue;
      skipped.add(name);
      onWarning(`Calls without a subject for "${name}" are not counted by it, as its policy says.`);
    }
  }

  return {
    get<Context>(policy: EffectivePolicy<Context>, subjects: readonly LevelSubject[]) {
      const plans = made.get(policy) ?? new Map<string, Plan<never>>();
      made.set(policy, plans);
      let present = '';
      for (let place = 0; place < policy.levels.length; place += 1) {
        const subject = subjects[place];
        present += subject === undefined ? '0' : subject === null ? '-' : '1';
      }
      // The map holds each policy's own type.
      const known = plans.get(present) as Plan<Context> | undefined;
      if (known) return known;
      warnOfSkipped(policy, subjects);
      const plan = createPlan(policy, subjects);
      plans.set(present, plan as Plan<never>);
      return plan;
    },
  };
}

function createPlan<Context>(
  policy: EffectivePolicy<Context>,
  subjects: readonly LevelSubject[],
): Plan<Context> {
  const taking = policy.levels.flatMap((level, place) =>
    level.mode === 'off' || subjects[place] == null ? [] : [{ level, place }],
  );
  const places = taking.map(({ place }) => place);
  const levels = taking.map(({ level }) => level);
  const punishing = taking.filter(({ level }) => level.punishment).map(({ place }) => place);
  return {
    levelIndexes: places,
    levels,
    widestIndex: taking.findLast(({ level }) => level.mode === 'enforce')?.place,
    policyArgs: encodeDecideArgs(policy.cost, levels, { hasRequestId: false }),
    policyArgsWithRequestId: encodeDecideArgs(policy.cost, levels, { hasRequestId: true }),
    storeKeys(keys) {
      const storeKeys = places.map((place) => keys.level(place));
      if (punishing.length === 0) return storeKeys;
      return [...storeKeys, ...punishing.map((place) => keys.violations(place)), keys.bans()];
    },
    banMembers: (keys) => punishing.map((place) => keys.banMember(place)),
  };
}
