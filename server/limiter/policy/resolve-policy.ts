import { getOrCreate } from '../get-or-create';
import { isByPlan } from './by-plan';
import type {
  ByPlan,
  InFlightLevel,
  Level,
  Policy,
  Punishment,
  ResolvedLevel,
  ResolvedPolicy,
} from './policy';
import { validateFields } from './validate-fields';
import {
  assertPolicy,
  createReject,
  isPolicyName,
  NAME_FIX,
  type Reject,
  validatePolicy,
} from './validate-policy';
import { validateQueue } from './validate-queue';

const HOUR_MS = 60 * 60 * 1000;

const resolvedPolicies = new WeakMap<object, Map<string, ResolvedPolicy>>();

/**
 * Returns a policy with its defaults. The same object and name always return the same resolved policy, because caches use
 * it as their key. Throws a `PolicyError` if the policy is invalid.
 */
export function resolvePolicy<Context>(policy: Policy<Context>, path: string): ResolvedPolicy<Context> {
  assertPolicy(policy);
  const byName = getOrCreate(resolvedPolicies, policy, () => new Map<string, ResolvedPolicy>());
  // The map holds each policy's own type.
  return getOrCreate(byName, policy.name ?? path, () =>
    resolve(policy, policy.name === undefined ? nameOfPath(path) : policy.name),
  ) as ResolvedPolicy<Context>;
}

/** Returns the name of a policy that has the path of its procedure: `get user` → `get%0020user`. No two paths have one name. */
function nameOfPath(path: string): string {
  return path.replace(/[^\w.-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function resolve<Context>(policy: Policy<Context>, name: string): ResolvedPolicy<Context> {
  const reject: Reject = createReject(name);
  validateFields(policy, reject);
  if (!isPolicyName(name)) reject('name', policy.name, `${NAME_FIX}, as in "coupon.claim".`);
  const { message, requestId, settle, settleMs = 60_000, onStoreError = 'closed' } = policy;
  const { cost = 1, maxCost = Number.NaN } = policy;
  const resolved = {
    name,
    message,
    requestId,
    settle,
    settleMs,
    onStoreError,
    levels: policy.levels.map(resolveLevel),
    cost: typeof cost === 'function' ? maxCost : cost,
    costOf: typeof cost === 'function' ? cost : undefined,
  };
  validatePolicy(resolved);
  for (const [index, level] of resolved.levels.entries())
    validateQueue(resolved, level, { at: `levels[${index}]`, reject });
  return resolved;
}

function resolveLevel<Context>(level: Level<Context> | InFlightLevel<Context>): ResolvedLevel<Context> {
  const { concurrent, leaseMs, limit = concurrent, windowMs = leaseMs, ...declared } = level;
  const { algorithm = concurrent === undefined ? 'sliding-log' : 'in-flight' } = level;
  const { counts = level.level === 'global' ? 'all' : level.level } = level;
  const { subWindows = 10, mode = 'enforce', ifMissing = 'error', punishment, lease } = level;
  const plans = {
    limit: isByPlan(limit) ? limit : undefined,
    windowMs: isByPlan(windowMs) ? windowMs : undefined,
  };
  return {
    ...declared,
    algorithm,
    counts,
    subWindows,
    mode,
    ifMissing,
    limit: firstNumber(limit),
    windowMs: firstNumber(windowMs),
    plans: plans.limit || plans.windowMs ? plans : undefined,
    punishment: punishment && withDefaults(punishment),
    lease: lease && { maxUnits: Number.MAX_SAFE_INTEGER, ...lease },
  };
}

function withDefaults({ lapseMs = HOUR_MS, ...punishment }: Punishment): Required<Punishment> {
  return { lapseMs, ...punishment };
}

/** Returns the number of the first plan. `validatePolicy` rejects what is no number. */
function firstNumber<Context>(number: number | ByPlan<Context> = Number.NaN): number {
  return isByPlan(number) ? (Object.values(number.values)[0] ?? Number.NaN) : number;
}
