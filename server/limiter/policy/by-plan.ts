import type { ByPlan, LevelPlan, LevelPlans, PolicyCall } from './policy';

/**
 * Returns a `limit` or `windowMs` that differs by plan:
 * `limit: byPlan({ free: 5, vip: 20 }, ({ context }) => context.user.plan)`.
 *
 * `plan` is called before each decision, so it must not throw, and reads memory only. All calls of one subject of the level
 * have one plan, else they share a window with different numbers. If it returns a text that is no plan, the numbers of the
 * first plan apply, and the limiter warns once for each level.
 */
export function byPlan<Context, const Values extends Readonly<Record<string, number>>>(
  values: Values,
  plan: (call: PolicyCall<Context>) => keyof Values & string,
): ByPlan<Context> {
  return { values, plan };
}

/** Returns true if a number of a level differs by plan. */
export function isByPlan<Context>(number: number | ByPlan<Context> | undefined): number is ByPlan<Context> {
  return typeof number === 'object' && number !== null;
}

/** Returns the plans of a call for each level; `undefined` if no number of the policy differs by plan. */
export function readPlans<Context>(
  levels: readonly { plans: LevelPlans<Context> | undefined }[],
  call: PolicyCall<Context>,
): readonly (LevelPlan | undefined)[] | undefined {
  if (!levels.some(({ plans }) => plans)) return undefined;
  return levels.map(
    ({ plans }) => plans && { limit: plans.limit?.plan(call), windowMs: plans.windowMs?.plan(call) },
  );
}
