import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Features, type LimiterCase, playOnOracle, someCases } from '../../test/limiter-cases';
import { decideStores } from '../../test/limiter-level';
import { type CallVerdict, createLimiterOracle, type LevelNumbers } from '../../test/limiter-oracle';
import { propertyRuns } from '../../test/property';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { defineScript } from '../lua-scripts';
import type { RedisClient } from '../redis/client';
import { byPlan } from './by-plan';
import type { Decision } from './decision';
import { createLimiter, type LimiterOptions } from './limiter';
import { type Algorithm, type Level, type ResolvedPolicy, resolvePolicy, shared } from './policy';

/** The greatest cost of a call in a case, and the smallest limit. */
const MAX_COST = 3;

/** Returns the numbers of a level, with one plan for each call. */
function plansOf(
  steps: LimiterCase['steps'],
  { policy, position, numbers }: { policy: number; position: number; numbers: LevelNumbers },
) {
  const calls = steps.flatMap((step, index) => {
    const own = step.kind === 'decide' && step.policy === policy && step.numbers[position];
    return own ? [[`call${index}`, own] as const] : [];
  });
  const valuesOf = (field: 'limit' | 'windowMs') =>
    Object.fromEntries([['none', numbers[field]], ...calls.map(([plan, own]) => [plan, own[field]])]);
  return {
    limit: byPlan(valuesOf('limit'), () => 'none'),
    windowMs: byPlan(valuesOf('windowMs'), () => 'none'),
  };
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
  { costByCall, personal }: Features,
): ResolvedPolicy<unknown>[] {
  return policies.map(({ cost, levels }, index) => {
    const declared = levels.map(({ algorithm, numbers, isShadow, isShared }, position): Level<unknown> => {
      const level = {
        level: isShared ? 'global' : `own-${'ab'[position] ?? 'c'}`,
        ...(!isShared && { by: () => 'ada' }),
        algorithm: algorithm as Algorithm,
        mode: isShadow ? ('shadow' as const) : ('enforce' as const),
        ...numbers,
        ...(personal && !isShared && plansOf(steps, { policy: index, position, numbers })),
      };
      return isShared ? shared('shop', level) : level;
    });
    return resolvePolicy(
      {
        name: `policy-${index}`,
        ...(costByCall ? { cost: () => MAX_COST, maxCost: MAX_COST } : { cost }),
        levels: declared,
        message: { en: 'Too many.' },
      },
      '',
    );
  });
}

/** Sends the calls of a case at once, so that they are in batches, or one by one. Returns decisions in their order. */
async function playOnProduct(
  options: Omit<LimiterOptions, 'secret' | 'clock'>,
  one: LimiterCase,
  { isAwaited = false, ...features }: Features & { isAwaited?: boolean },
): Promise<Decision[]> {
  let clock = 0;
  const limiter = createLimiter({ ...options, prefix: freshPrefix(), secret: 'test', clock: () => clock });
  const policies = toPolicies(one, features);
  const decisions: Promise<Decision>[] = [];
  for (const [index, step] of one.steps.entries()) {
    const policy = step.kind === 'decide' ? policies[step.policy] : undefined;
    if (step.kind !== 'decide' || !policy) continue;
    clock = step.clock;
    const subjects = policy.levels.map(({ level }) => (level === 'global' ? '' : 'ada'));
    const plan = { limit: `call${index}`, windowMs: `call${index}` };
    const plans = policy.levels.map((level) => level.plans && plan);
    const decision = limiter.decide(policy, { subjects, plans, cost: step.cost });
    decisions.push(decision);
    if (isAwaited) await decision;
  }
  return Promise.all(decisions);
}

/** Returns a case without its peeks, because a decision has no peeks. */
function withoutPeeks({ policies, steps }: LimiterCase): LimiterCase {
  return { policies, steps: steps.filter((step) => step.kind !== 'decide' || step.cost > 0) };
}

/** Returns the parts of a decision that the oracle defines. */
function toVerdict(decision: Decision) {
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
  { allowed, now, levels }: CallVerdict,
  shadows: readonly (boolean | undefined)[],
): ReturnType<typeof toVerdict> {
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
];

/** In `npm run drill -- --oracle`, on each store. */
const CASES = 10_000;

describe.each(decideStores)('on $store by $define.name', ({ define, storeUrl }) => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = await connectTestRedis(await storeUrl());
  });
  afterAll(() => redis.quit());
  /** A client without functions runs scripts. */
  const host = (): NonNullable<LimiterOptions['redis']> => {
    if (define !== defineScript) return redis;
    const scripts: NonNullable<LimiterOptions['redis']> = {
      defineCommand(name, definition) {
        redis.defineCommand(name, definition);
        Reflect.set(scripts, name, (...args: unknown[]) =>
          Reflect.apply(Reflect.get(redis, name), redis, args),
        );
      },
    };
    return scripts;
  };

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
          const decisions = await playOnProduct({ redis: host(), cacheDenials: false }, one, features);
          expect(decisions.map(toVerdict)).toEqual(expected);
        }),
        propertyRuns(CASES),
      );
    },
    3_600_000,
  );

  test.each(combinations)(
    'with %s, a node that caches denials admits the same calls and names the same waits',
    async (_name, features) => {
      await fc.assert(
        fc.asyncProperty(someCases(features).map(withoutPeeks).map(withDeclarable), async (one) => {
          const expected = playOnOracle(createLimiterOracle(), one);
          const decisions = await playOnProduct({ redis: host() }, one, { ...features, isAwaited: true });
          expect(decisions.map(({ allowed }) => allowed)).toEqual(expected.map(({ allowed }) => allowed));
          for (const [index, decision] of decisions.entries()) {
            const step = one.steps[index];
            if (decision.allowed || step?.kind !== 'decide') continue;
            const { level, retryAfterMs } = decision.refusedBy;
            const position =
              toPolicies(one, features)[step.policy]?.levels.findIndex((other) => other.level === level) ??
              -1;
            expect(expected[index]?.levels[position]).toMatchObject({ refuses: true, retryAfterMs });
          }
        }),
        propertyRuns(CASES),
      );
    },
    3_600_000,
  );
});
