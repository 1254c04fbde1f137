import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sameSubject } from '../../test/call-subjects';
import { type LimiterCase, someCases } from '../../test/limiter-cases';
import { createLimiterOracle } from '../../test/limiter-oracle';
import { limiterStores, type OpenStore } from '../../test/limiter-stores';
import { propertyRuns } from '../../test/property';
import { freshPrefix } from '../../test/redis';
import type { Decision } from './decision';
import { createLimiter } from './limiter';
import type { LimiterOptions } from './limiter-options';
import { type Algorithm, type InFlightLevel, type Level, type ResolvedPolicy, resolvePolicy } from './policy';
import { shared } from './shared-levels';

/** Creates the policies of a case. Their levels keep its order. */
function toPolicies({ policies }: LimiterCase): ResolvedPolicy<unknown>[] {
  return policies.map(({ cost, levels }, index) => {
    const declared = levels.map((level, position): Level<unknown> | InFlightLevel<unknown> => {
      const { algorithm, numbers, isShadow, isShared } = level;
      const mode = isShadow ? ('shadow' as const) : ('enforce' as const);
      const own = { level: `own-${'abc'[position] ?? 'd'}`, by: () => 'ada', mode };
      if (algorithm === 'in-flight') return { ...own, concurrent: numbers.limit, leaseMs: numbers.windowMs };
      const window = { algorithm: algorithm satisfies Algorithm, mode, ...numbers };
      return isShared ? shared('shop', { level: 'global', ...window }) : { ...own, ...window };
    });
    return resolvePolicy(
      { name: `policy-${index}`, cost, levels: declared, message: { en: 'Too many.' } },
      '',
    );
  });
}

/** A decision in the parts that the oracle defines, or true if a release or renewal found its lease. */
type Outcome =
  | boolean
  | { allowed: boolean; levels: { used: number; retryAfterMs: number; resetMs: number }[] };

/** Returns a case without its peeks, because a decision has no peeks. */
function withoutPeeks({ policies, steps }: LimiterCase): LimiterCase {
  return { policies, steps: steps.filter((step) => step.kind !== 'decide' || step.cost > 0) };
}

function playOnOracle({ policies, steps }: LimiterCase): Outcome[] {
  const oracle = createLimiterOracle();
  return steps.map((step) => {
    if (step.kind === 'settle') throw new RangeError('these cases settle nothing');
    if (step.kind !== 'decide') return oracle[step.kind](step);
    const { levels = [] } = policies[step.policy] ?? {};
    const verdict = oracle.decide({ ...step, levels });
    const enforced = verdict.levels.filter((_level, index) => !levels[index]?.isShadow);
    return {
      allowed: verdict.allowed,
      levels: enforced.map(({ used, retryAfterMs, resetMs }) => ({ used, retryAfterMs, resetMs })),
    };
  });
}

/** Sends the commands of a case at once, so that they are in batches; a release waits for its call. */
async function playOnProduct(
  options: Omit<LimiterOptions, 'secret' | 'clock'>,
  one: LimiterCase,
): Promise<Outcome[]> {
  let clock = 0;
  const own = { prefix: freshPrefix(), secret: 'test', timeoutMs: 5_000, clock: () => clock };
  const limiter = createLimiter({ ...options, ...own });
  const policies = toPolicies(one);
  const decisions = new Map<string, Promise<Decision>>();
  const outcomes: Promise<Outcome>[] = [];
  for (const step of one.steps) {
    const policy = step.kind === 'decide' && policies[step.policy];
    if (policy) {
      clock = step.clock;
      const subjects = sameSubject(policy, 'ada');
      const decision = limiter.decide(policy, { subjects });
      decisions.set(step.id, decision);
      outcomes.push(decision.then(toOutcome));
    } else if (step.kind === 'release' || step.kind === 'renew') {
      const decision = await decisions.get(step.id);
      clock = step.clock;
      const lease = decision?.allowed ? decision.lease : undefined;
      outcomes.push(lease ? limiter[step.kind](lease) : Promise.resolve(false));
    }
  }
  return Promise.all(outcomes);
}

function toOutcome({ allowed, levels }: Decision): Outcome {
  return {
    allowed,
    levels: levels.map(({ used, retryAfterMs, resetMs }) => ({ used, retryAfterMs, resetMs })),
  };
}

/** In `npm run drill -- --oracle`, on each store. */
const CASES = 10_000;

describe.each(limiterStores)('on $name', ({ open, short }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  test('random calls, releases and renewals are decided as by the definition', async () => {
    const cases = someCases({ inFlight: true, shared: true }).map(withoutPeeks);
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const outcomes = await playOnProduct({ store: opened.store, cacheDenials: false }, one);
        expect(outcomes).toEqual(playOnOracle(one));
      }),
      propertyRuns(CASES, { short }),
    );
  }, 3_600_000);
});
