import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sameSubject } from '../../test/call-subjects';
import { type Features, type LimiterCase, playOnOracle, someCases } from '../../test/limiter-cases';
import { type CallVerdict, createLimiterOracle, type LevelNumbers } from '../../test/limiter-oracle';
import { limiterStores, type OpenStore } from '../../test/limiter-stores';
import { propertyRuns } from '../../test/property';
import { freshPrefix } from '../../test/redis';
import { byPlan } from './by-plan';
import type { Decision } from './decision';
import { createLimiter } from './limiter';
import type { LimiterOptions } from './limiter-options';
import { type InFlightLevel, type Level, type Policy, type ResolvedPolicy, resolvePolicy } from './policy';
import { shared } from './shared-levels';

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
      if (step.kind !== 'decide') return step;
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
  { costByCall, personal, settle, byOverride }: Features,
): ResolvedPolicy<unknown>[] {
  return policies.map(({ cost, levels }, index) => {
    const declared = levels.map((level, position): Level<unknown> | InFlightLevel<unknown> => {
      const { algorithm, numbers, isShadow, isShared } = level;
      const own = { level: `own-${'abc'[position] ?? 'd'}`, by: () => 'ada' };
      const mode = isShadow ? ('shadow' as const) : ('enforce' as const);
      const hasPlans = personal && !byOverride && !isShared;
      const { limit, windowMs } = hasPlans ? plansOf(steps, { policy: index, position, numbers }) : numbers;
      if (algorithm === 'in-flight') return { ...own, mode, concurrent: limit, leaseMs: windowMs };
      const window = { algorithm, mode, subWindows: numbers.subWindows, limit, windowMs };
      if (!isShared) return { ...own, ...window };
      // The denials of a shared level that a policy settles are cached by no policy.
      return shared(settle ? 'settled-shop' : 'shop', { level: 'global', ...window });
    });
    return resolvePolicy(
      {
        name: `policy-${index}`,
        ...(costByCall ? { cost: () => MAX_COST, maxCost: MAX_COST } : { cost }),
        ...(settle && { settle: keepGiven, settleMs: SETTLE_MS }),
        levels: declared,
        message: { en: 'Too many.' },
      },
      '',
    );
  });
}

const keepGiven: Policy<unknown>['settle'] = (outcome) => (outcome.ok ? Number(outcome.data) : 0);

/** A decision, or true if a settling, release or renewal found its reservation or lease. */
type Outcome = Decision | boolean;

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
  const own = { prefix: freshPrefix(), secret: 'test', timeoutMs: 5_000, clock: () => clock };
  const limiter = createLimiter({ ...options, ...own });
  const policies = toPolicies(one, features);
  const calls = new Map<string, { step: CallStep; decision: Promise<Decision> }>();
  const outcomes: Promise<Outcome>[] = [];
  for (const [index, step] of one.steps.entries()) {
    const policy = step.kind === 'decide' ? policies[step.policy] : undefined;
    if (step.kind === 'decide' && policy) {
      clock = step.clock;
      const subjects = sameSubject(policy, 'ada');
      const plan = { limit: `call${index}`, windowMs: `call${index}` };
      const plans = policy.levels.map((level) => level.plans && plan);
      if (features.byOverride) {
        const own = policy.levels.map(({ level }, at) => ({ level, ...step.numbers[at] }));
        limiter.setOverrides(
          own
            .filter(({ level }) => level !== 'global')
            .map(({ level, limit, windowMs }) => {
              return { policy: policy.name, level, limit, windowMs, version: index + 1 };
            }),
        );
      }
      const decision = limiter.decide(policy, { subjects, plans, cost: step.cost });
      calls.set(step.id, { step, decision });
      outcomes.push(decision);
      if (isAwaited) await decision;
    } else if (step.kind !== 'decide') {
      const call = calls.get(step.id);
      const decision = await call?.decision;
      clock = step.clock;
      const held = decision?.allowed ? decision : undefined;
      if (step.kind === 'settle') {
        const reservation = call?.step.settleMs === undefined ? undefined : held?.reservation;
        const settled = reservation && limiter.settle(reservation, { ok: true, data: step.kept });
        outcomes.push(settled ?? Promise.resolve(false));
      } else outcomes.push(held?.lease ? limiter[step.kind](held.lease) : Promise.resolve(false));
    }
  }
  return Promise.all(outcomes);
}

type CallStep = Extract<LimiterCase['steps'][number], { kind: 'decide' }>;

/** Returns a case without its peeks, because a decision has no peeks. */
function withoutPeeks({ policies, steps }: LimiterCase): LimiterCase {
  return { policies, steps: steps.filter((step) => step.kind !== 'decide' || step.cost > 0) };
}

/** Returns the parts of an outcome that the oracle defines. */
function toVerdict(decision: Outcome) {
  if (typeof decision === 'boolean') return decision;
  return {
    allowed: decision.allowed,
    now: decision.now,
    levels: decision.levels.map(({ used, retryAfterMs, resetMs }) => ({ used, retryAfterMs, resetMs })),
    shadowRefusals: decision.shadowRefusals.length,
    refusedBy: decision.allowed ? undefined : decision.levels.indexOf(decision.refusedBy),
    delayMs: decision.allowed ? decision.delayMs : undefined,
  };
}

function toExpected(
  verdict: CallVerdict | boolean,
  shadows: readonly (boolean | undefined)[],
): ReturnType<typeof toVerdict> {
  if (typeof verdict === 'boolean') return verdict;
  const { allowed, now, levels } = verdict;
  const enforced = levels.filter((_level, index) => !shadows[index]);
  return {
    allowed,
    now,
    levels: enforced.map(({ used, retryAfterMs, resetMs }) => ({ used, retryAfterMs, resetMs })),
    shadowRefusals: levels.filter(({ refuses }, index) => refuses && shadows[index]).length,
    refusedBy: allowed ? undefined : enforced.findIndex(({ refuses }) => refuses),
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
    'calls in flight, a shared level, a cost by call and overrides',
    { inFlight: true, shared: true, costByCall: true, personal: true, byOverride: true },
  ],
  [
    'calls in flight, a cost by call and personal numbers',
    { inFlight: true, costByCall: true, personal: true },
  ],
  ['all features', { settle: true, shared: true, costByCall: true, personal: true, inFlight: true }],
];

/** A settling or in-flight level has no cached denials, so these two are enough. */
const cachingCombinations = combinations.filter(
  ([name, { settle, inFlight, byOverride }]) =>
    byOverride || name === 'all features' || !(settle || inFlight),
);

/** In `npm run drill -- --oracle`, on each store. */
const CASES = 10_000;

describe.each(limiterStores)('on $name', ({ open, short }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  test.each(combinations)(
    'random calls with %s are decided as by the definition',
    async (_name, features) => {
      await fc.assert(
        fc.asyncProperty(someCases(features).map(withoutPeeks).map(withDeclarable), async (one) => {
          const expected = playOnOracle(createLimiterOracle(), one).map((verdict, index) => {
            const step = one.steps[index];
            const levels = step?.kind === 'decide' ? one.policies[step.policy]?.levels : undefined;
            return toExpected(verdict, levels?.map(({ isShadow }) => isShadow) ?? []);
          });
          const decisions = await playOnProduct({ store: opened.store, cacheDenials: false }, one, features);
          expect(decisions.map(toVerdict)).toEqual(expected);
        }),
        propertyRuns(CASES, { short }),
      );
    },
    3_600_000,
  );

  test.each(cachingCombinations)(
    'with %s, a node that caches denials admits the same calls and names the same waits',
    async (_name, features) => {
      await fc.assert(
        fc.asyncProperty(someCases(features).map(withoutPeeks).map(withDeclarable), async (one) => {
          const expected = playOnOracle(createLimiterOracle(), one);
          const decisions = await playOnProduct({ store: opened.store }, one, {
            ...features,
            isAwaited: true,
          });
          const policies = toPolicies(one, features);
          const isAllowed = (it: Outcome | CallVerdict) => (typeof it === 'boolean' ? it : it.allowed);
          expect(decisions.map(isAllowed)).toEqual(expected.map(isAllowed));
          for (const [index, decision] of decisions.entries()) {
            const step = one.steps[index];
            if (typeof decision === 'boolean' || decision.allowed || step?.kind !== 'decide') continue;
            const { level, retryAfterMs } = decision.refusedBy;
            const position = policies[step.policy]?.levels.findIndex((other) => other.level === level) ?? -1;
            const verdict = expected[index];
            expect(typeof verdict === 'object' && verdict.levels[position]).toMatchObject({
              refuses: true,
              retryAfterMs,
            });
          }
        }),
        propertyRuns(CASES, { short }),
      );
    },
    3_600_000,
  );
});
