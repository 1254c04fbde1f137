import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sameSubject } from '../../../test/call-subjects';
import { type Features, type LimiterCase, playOnOracle, someCases } from '../../../test/limiter-cases';
import { type CallVerdict, createLimiterOracle, type LevelNumbers } from '../../../test/limiter-oracle';
import { COMPARED_FACTOR, limiterStores, type OpenStore } from '../../../test/limiter-stores';
import { propertyRuns } from '../../../test/property';
import { freshPrefix } from '../../../test/redis';
import { createLimiter, type Limiter } from '../limiter';
import type { LimiterOptions } from '../limiter-options';
import { byPlan } from '../policy/by-plan';
import type { PersonOverride } from '../policy/overrides';
import type { InFlightLevel, Level, Policy, ResolvedPolicy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { shared } from '../policy/shared-levels';
import type { Decision, LevelState } from './decision';
import { RequestIdConflictError } from './request-id';

/** The greatest cost of a call in a case, and the smallest limit. */
const MAX_COST = 3;

/** The lease of the reservations in the cases. */
const SETTLE_MS = 150;

/** Returns the numbers of a level, with one plan for each call. */
function plansOf(
  steps: LimiterCase['steps'],
  { policy, position, numbers }: { policy: number; position: number; numbers: LevelNumbers },
) {
  const calls = steps.flatMap((step, index) => {
    const own = step.kind === 'decide' && step.policy === policy && step.numbers[position];
    return own ? [[`call${index}`, own] as const] : [];
  });
  const valuesOf = (field: 'limit' | 'windowMs') => {
    const values = [['none', numbers[field]], ...calls.map(([plan, own]) => [plan, own[field]])];
    if (values.every(([, value]) => value === numbers[field])) return numbers[field];
    return byPlan(Object.fromEntries(values), () => 'none');
  };
  return { limit: valuesOf('limit'), windowMs: valuesOf('windowMs') };
}

/** Returns a case whose personal numbers a policy can declare: those of a level alone, and one number of sub-windows. */
function withDeclarable({ policies, steps }: LimiterCase): LimiterCase {
  return {
    policies,
    steps: steps.map((step) => {
      if (step.kind !== 'decide' && step.kind !== 'settle') return step;
      const levels = policies[step.policy]?.levels ?? [];
      return {
        ...step,
        numbers: levels.map(({ isShared, numbers: common }, position) => {
          const own = isShared ? undefined : step.numbers[position];
          return own ? { ...own, subWindows: common.subWindows } : common;
        }),
      };
    }),
  };
}

/** Creates the policies of a case. Their levels keep its order. */
function toPolicies(
  { policies, steps }: LimiterCase,
  { costByCall, personal, settle, byOverride, requestIds }: Features,
): ResolvedPolicy<unknown>[] {
  return policies.map(({ cost, levels }, index) => {
    const declared = levels.map((level, position): Level<unknown> | InFlightLevel<unknown> => {
      const { algorithm, numbers, isShadow, isShared, punishment } = level;
      const own = { level: `own-${'abc'[position] ?? 'd'}`, by: () => 'ada' };
      const mode = isShadow ? ('shadow' as const) : ('enforce' as const);
      const hasPlans = personal && !byOverride && !isShared;
      const { limit, windowMs } = hasPlans ? plansOf(steps, { policy: index, position, numbers }) : numbers;
      if (algorithm === 'in-flight') return { ...own, mode, concurrent: limit, leaseMs: windowMs };
      const window = { algorithm, mode, subWindows: numbers.subWindows, limit, windowMs };
      if (!isShared) return { ...own, ...window, ...(punishment && { punishment }) };
      return shared('shop', { level: 'global', ...window });
    });
    return resolvePolicy(
      {
        name: `policy-${index}`,
        ...(costByCall ? { cost: () => MAX_COST, maxCost: MAX_COST } : { cost }),
        ...(settle && { settle: keepGiven, settleMs: SETTLE_MS }),
        ...(requestIds && { requestId: () => undefined }),
        levels: declared,
        message: { en: 'Too many.' },
      },
      '',
    );
  });
}

const keepGiven: Policy<unknown>['settle'] = (outcome) => (outcome.ok ? Number(outcome.data) : 0);

/** A decision, a conflict of request ids, or true if a settling, release or renewal found its reservation or lease. */
type Outcome = Decision | RequestIdConflictError | boolean;

function toConflict(error: unknown): RequestIdConflictError {
  if (error instanceof RequestIdConflictError) return error;
  throw error;
}

/** Returns the rules of the caller of a step, by policy, level and caller. */
function personsOf(
  { policy: index, caller, rules }: CallStep,
  policies: readonly ResolvedPolicy<unknown>[],
  limiter: Limiter,
): [name: string, person: PersonOverride | undefined][] {
  const policy = policies[index];
  return (policy?.levels ?? []).map(({ level }, at) => {
    const rule = rules[at];
    const person = rule && { policy: policy?.name ?? '', level, ref: limiter.pseudonymOf(caller), rule };
    return [`${index} ${level} ${caller}`, person];
  });
}

/**
 * Gives the limiter the overrides of each call before it, if they differ from those that it has. So it does if the clock steps
 * back, because a limiter drops the denials that have ended when it gets overrides.
 */
function createOverrideSetter(
  limiter: Limiter,
  policies: readonly ResolvedPolicy<unknown>[],
  { steps, byOverride }: { steps: readonly CallStep[]; byOverride?: boolean },
) {
  // The rules of all callers apply from the start on, except those that change.
  const persons = new Map(steps.flatMap((step) => personsOf(step, policies, limiter)));
  let version = 0;
  let present = '';
  let presentSince = 0;

  return function setOverrides(step: CallStep | SettleStep) {
    if (step.kind === 'decide')
      for (const [name, person] of personsOf(step, policies, limiter)) persons.set(name, person);
    const list = [...persons.values()].filter((person) => person !== undefined);
    const { name: policy = '', levels = [] } = policies[step.policy] ?? {};
    const overrides = levels.flatMap(({ level }, at) => {
      const { limit, windowMs } = step.numbers[at] ?? {};
      return byOverride && level !== 'global' ? [{ policy, level, limit, windowMs }] : [];
    });
    const text = JSON.stringify([list, overrides]);
    if (text === present && step.clock >= presentSince) return;
    present = text;
    presentSince = step.clock;
    version += 1;
    limiter.setOverrides(
      overrides.map((override) => ({ ...override, version })),
      list,
    );
  };
}

/**
 * Sends the commands of a case at once, so that they are in batches, or one by one. A command on a former call waits for it.
 * Returns the outcomes in their order.
 */
async function playOnProduct(
  options: Omit<LimiterOptions, 'secret' | 'clock'>,
  one: LimiterCase,
  { isAwaited = false, ...features }: Features & { isAwaited?: boolean },
): Promise<Outcome[]> {
  let clock = 0;
  const own = {
    prefix: freshPrefix(),
    secret: 'a secret of at least 32 characters',
    timeoutMs: 5_000,
    clock: () => clock,
  };
  const limiter = createLimiter({ ...options, ...own });
  const policies = toPolicies(one, features);
  const callSteps = one.steps.filter((step) => step.kind === 'decide');
  const setOverrides = createOverrideSetter(limiter, policies, { ...features, steps: callSteps });
  const calls = new Map<string, { step: CallStep; decision: Promise<Decision | RequestIdConflictError> }>();
  const outcomes: Promise<Outcome>[] = [];
  for (const [index, step] of one.steps.entries()) {
    const policy = step.kind === 'decide' ? policies[step.policy] : undefined;
    if (step.kind === 'clear') {
      await Promise.all(outcomes);
      clock = step.clock;
      const cleared = policies[step.policy];
      const level = cleared?.levels[step.level]?.level ?? '';
      const subject = level === 'global' ? '' : step.caller;
      if (cleared) await limiter.clear(cleared, { level, subject });
      outcomes.push(Promise.resolve(true));
    } else if (step.kind === 'decide' && policy) {
      clock = step.clock;
      const { cost, request: requestId } = step;
      const subjects = sameSubject(policy, step.caller);
      const plan = { limit: `call${index}`, windowMs: `call${index}` };
      const plans = policy.levels.map((level) => level.plans && plan);
      setOverrides(step);
      const decision = limiter.decide(policy, { subjects, plans, cost, requestId }).catch(toConflict);
      calls.set(step.id, { step, decision });
      outcomes.push(decision);
      if (isAwaited) await decision;
    } else if (step.kind !== 'decide') {
      const call = calls.get(step.id);
      const decision = await call?.decision;
      clock = step.clock;
      const held = decision && 'allowed' in decision && decision.allowed ? decision : undefined;
      if (step.kind === 'settle') {
        setOverrides(step);
        const reservation = call?.step.settleMs === undefined ? undefined : held?.reservation;
        const settled = reservation && limiter.settle(reservation, { ok: true, data: step.kept });
        outcomes.push(settled ?? Promise.resolve(false));
      } else outcomes.push(held?.lease ? limiter[step.kind](held.lease) : Promise.resolve(false));
    }
  }
  return Promise.all(outcomes);
}

type CallStep = Extract<LimiterCase['steps'][number], { kind: 'decide' }>;
type SettleStep = Extract<LimiterCase['steps'][number], { kind: 'settle' }>;

/** Returns a case without its peeks, because a decision has no peeks. */
function withoutPeeks({ policies, steps }: LimiterCase): LimiterCase {
  return { policies, steps: steps.filter((step) => step.kind !== 'decide' || step.cost > 0) };
}

/** Returns the parts of an outcome that the oracle defines. */
function toVerdict(decision: Outcome) {
  if (typeof decision === 'boolean') return decision;
  if (decision instanceof RequestIdConflictError) return 'conflict';
  return {
    allowed: decision.allowed,
    now: decision.now,
    levels: decision.levels.map(toLevelVerdict),
    shadowRefusals: decision.shadowRefusals.length,
    refusedBy: decision.allowed
      ? undefined
      : (decision.levels as readonly object[]).indexOf(decision.refusedBy),
    reason: decision.allowed ? undefined : decision.reason,
    replayed: decision.allowed && decision.replayed,
    delayMs: decision.allowed ? decision.delayMs : undefined,
  };
}

function toLevelVerdict({ used, retryAfterMs, resetMs, punished }: LevelState) {
  const { violations, warning, bannedUntil } = punished ?? {};
  const counted = punished && { violations, isWarning: warning, bannedUntil: bannedUntil ?? 0 };
  return { used, retryAfterMs, resetMs, ...counted };
}

function toExpected(
  verdict: CallVerdict | boolean,
  shadows: readonly (boolean | undefined)[],
): ReturnType<typeof toVerdict> {
  if (typeof verdict === 'boolean') return verdict;
  const { allowed, now, levels, repeats } = verdict;
  if (repeats === 'other input') return 'conflict';
  const enforced = levels.filter(({ takesPart }, index) => takesPart && !shadows[index]);
  const refusedBy = enforced.findIndex(({ refuses }) => refuses);
  const isBan = (enforced[refusedBy]?.punished?.bannedUntil ?? 0) > 0;
  return {
    allowed,
    now,
    levels: enforced.map(({ used, retryAfterMs, resetMs, punished }) => ({
      ...{ used, retryAfterMs, resetMs },
      ...punished,
    })),
    shadowRefusals: levels.filter(({ refuses }, index) => refuses && shadows[index]).length,
    refusedBy: allowed ? undefined : refusedBy,
    reason: allowed ? undefined : isBan ? 'banned' : 'limited',
    replayed: repeats === 'same input',
    delayMs: allowed ? Math.max(0, ...enforced.map(({ delayMs }) => delayMs)) : undefined,
  };
}

/** Each by its property, and together. */
const combinations: [name: string, features: Features][] = [
  ['a shared level', { shared: true }],
  ['a shared level and a cost by call', { shared: true, costByCall: true }],
  ['a shared level, a cost by call and personal numbers', { shared: true, costByCall: true, personal: true }],
  ['settlings', { settle: true }],
  ['settlings, a cost by call and personal numbers', { settle: true, costByCall: true, personal: true }],
  [
    'settlings, cleared windows and changed limits',
    { settle: true, clears: true, costByCall: true, personal: true, byOverride: true },
  ],
  [
    'calls in flight, a cost by call and personal numbers',
    { inFlight: true, costByCall: true, personal: true },
  ],
  ['calls in flight and a shared level', { inFlight: true, shared: true }],
  ['rules of operators', { rules: true }],
  ['punishments', { punishment: true }],
  ['request ids', { requestIds: true }],
  // A settling or in-flight policy has no request id, and a settling one does not punish. Otherwise, these are all.
  [
    'all features without settlings and calls in flight',
    {
      ...{ shared: true, costByCall: true, personal: true },
      rules: true,
      punishment: true,
      requestIds: true,
    },
  ],
  [
    'all features without settlings and request ids',
    {
      ...{ shared: true, costByCall: true, personal: true, byOverride: true },
      ...{ rules: true, punishment: true, inFlight: true },
    },
  ],
  [
    'all features without punishments and request ids',
    {
      ...{ shared: true, costByCall: true, personal: true, clears: true },
      ...{ rules: true, settle: true, inFlight: true },
    },
  ],
];

/** Every feature is in one of these. */
const withAllFeatures = combinations.filter(([name]) => name.startsWith('all features'));

/**
 * A settling or in-flight level has no cached denials, so the cases of all features are enough. A cached denial refuses a
 * replay, too, so none has request ids.
 */
function isCaching([name, { settle, inFlight, requestIds }]: (typeof combinations)[number]): boolean {
  return !requestIds && (name.startsWith('all features') || !(settle || inFlight));
}

/**
 * The store of all combinations, whose small cases show the feature at fault. The others run the same script, or a port that
 * has a comparison of its own, so the cases of all features are enough there.
 */
const STORE_OF_ALL_COMBINATIONS = 'Redis by defineFunction';

describe.each(limiterStores)('on $name', ({ name: store, open, cases, short }) => {
  const rows = store === STORE_OF_ALL_COMBINATIONS ? combinations : withAllFeatures;
  let opened: OpenStore;
  // For each test: the store in memory keeps the windows of all cases.
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());

  test.each(rows)(
    'random calls with %s are decided as by the definition',
    async (_name, features) => {
      await fc.assert(
        fc.asyncProperty(someCases(features).map(withoutPeeks).map(withDeclarable), async (one) => {
          const expected = playOnOracle(createLimiterOracle(), one, features).map((verdict, index) => {
            const step = one.steps[index];
            const levels = step?.kind === 'decide' ? one.policies[step.policy]?.levels : undefined;
            return toExpected(verdict, levels?.map(({ isShadow }) => isShadow) ?? []);
          });
          const decisions = await playOnProduct({ store: opened.store, cacheDenials: false }, one, features);
          expect(decisions.map(toVerdict)).toEqual(expected);
        }),
        propertyRuns(cases * COMPARED_FACTOR, { short }),
      );
    },
    3_600_000,
  );

  test.each(rows.filter(isCaching))(
    'with %s, a node that caches denials admits the same calls and names the same waits',
    async (_name, features) => {
      await fc.assert(
        fc.asyncProperty(someCases(features).map(withoutPeeks).map(withDeclarable), async (one) => {
          const expected = playOnOracle(createLimiterOracle(), one, features);
          const decisions = await playOnProduct({ store: opened.store }, one, {
            ...features,
            isAwaited: true,
          });
          const policies = toPolicies(one, features);
          const isAllowed = (it: Outcome | CallVerdict) =>
            typeof it === 'object' && 'allowed' in it ? it.allowed : it;
          expect(decisions.map(isAllowed)).toEqual(expected.map(isAllowed));
          for (const [index, decision] of decisions.entries()) {
            const step = one.steps[index];
            if (typeof decision === 'boolean' || !('allowed' in decision)) continue;
            if (decision.allowed || step?.kind !== 'decide') continue;
            const { level, retryAfterMs } = decision.refusedBy;
            const position = policies[step.policy]?.levels.findIndex((other) => other.level === level) ?? -1;
            const verdict = expected[index];
            expect(typeof verdict === 'object' && verdict.levels[position]).toMatchObject({
              refuses: true,
              retryAfterMs,
            });
          }
        }),
        propertyRuns(cases * COMPARED_FACTOR, { short }),
      );
    },
    3_600_000,
  );
});
