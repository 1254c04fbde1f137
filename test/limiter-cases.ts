import fc from 'fast-check';
import { someStart } from './limiter-arrivals';
import type {
  CallVerdict,
  createLimiterOracle,
  LevelNumbers,
  OracleAlgorithm,
  OracleLevel,
} from './limiter-oracle';

/** The features that the cases of a property combine. */
export interface Features {
  /** Several policies have a shared level. */
  shared?: boolean;
  /** Each call has its own cost, else each policy. */
  costByCall?: boolean;
  /** Each call has its own numbers on each level; with `settle` only those that the definitions allow. */
  personal?: boolean;
  /** Some calls reserve their cost, and most of these are settled. No leaky bucket. The clock does not step back. */
  settle?: boolean;
  /** A level in flight, with releases and renewals. The clock does not step back. */
  inFlight?: boolean;
}

/** A policy of a case. The window of its level `shared` is that of all policies. */
export interface CasePolicy {
  cost: number;
  levels: readonly (OracleLevel & { isShared: boolean })[];
}

export type CaseStep =
  | {
      kind: 'decide';
      clock: number;
      policy: number;
      cost: number;
      id: string;
      /** Of each level of the policy. */
      numbers: readonly LevelNumbers[];
      settleMs?: number;
    }
  | { kind: 'settle'; clock: number; id: string; kept: number }
  | { kind: 'release'; clock: number; id: string }
  | { kind: 'renew'; clock: number; id: string };

/** Policies, and calls by them in their order. */
export interface LimiterCase {
  policies: readonly CasePolicy[];
  steps: readonly CaseStep[];
}

const logs: OracleAlgorithm[] = ['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket'];
const someNumbers = fc.record({
  limit: fc.integer({ min: 3, max: 12 }),
  windowMs: fc.integer({ min: 20, max: 400 }),
  subWindows: fc.integer({ min: 1, max: 12 }),
});

/** Random cases of these features together. */
export function someCases(features: Features): fc.Arbitrary<LimiterCase> {
  const algorithm = fc.constantFrom<OracleAlgorithm>(
    ...logs,
    ...(features.settle ? [] : ['leaky-bucket' as const]),
  );
  const someLevel = fc.record({
    algorithm,
    numbers: someNumbers,
    isShadow: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
  });
  const somePolicy = fc.record({
    own: fc.array(someLevel, { maxLength: 2 }),
    hasShared: fc.integer({ min: 0, max: 3 }).map((one) => features.shared === true && one > 0),
    sharedIndex: fc.nat(2),
    inFlight: fc.boolean(),
    cost: fc.integer({ min: 1, max: 3 }),
  });
  const canStepBack = !(features.settle || features.inFlight);
  const someStep = fc.record({
    kind: fc.constantFrom('decide', 'decide', 'decide', 'peek', 'later', 'later'),
    ms: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(0, 0, 1, 2, 15, 60) },
      { weight: 1, arbitrary: fc.integer({ min: canStepBack ? -60 : 0, max: 500 }) },
    ),
    policy: fc.nat(2),
    cost: fc.integer({ min: 1, max: 3 }),
    numbers: fc.array(someNumbers, { minLength: 4, maxLength: 4 }),
    later: fc.nat(5),
    kept: fc.nat(3),
    isReserving: fc.boolean(),
  });
  return fc
    .record({
      start: someStart,
      sharedLevel: someLevel,
      flight: fc.record({
        limit: fc.integer({ min: 1, max: 3 }),
        windowMs: fc.integer({ min: 20, max: 200 }),
      }),
      policies: fc.array(somePolicy, { minLength: 2, maxLength: 3 }),
      steps: fc.array(someStep, { minLength: 1, maxLength: 40, size: 'max' }),
    })
    .map(({ start, sharedLevel, flight, policies: drawn, steps }) => {
      const policies = drawn.map(({ own, hasShared, sharedIndex, inFlight, cost }, policy): CasePolicy => {
        const levels = own.map((level, index) => ({
          ...level,
          window: `${policy}-${index}`,
          isShared: false,
        }));
        if (hasShared || levels.length === 0)
          levels.splice(sharedIndex, 0, {
            ...sharedLevel,
            ...(features.shared
              ? { window: 'shared', isShared: true }
              : { window: `${policy}-only`, isShared: false }),
          });
        const leases = {
          algorithm: 'in-flight' as const,
          numbers: { ...flight, subWindows: 1 },
          isShadow: false,
        };
        return {
          cost,
          levels: [
            ...levels,
            ...(features.inFlight && inFlight
              ? [{ ...leases, window: `${policy}-flight`, isShared: false }]
              : []),
          ],
        };
      });
      let clock = start;
      const ids: { id: string; cost: number }[] = [];
      return {
        policies,
        steps: steps.flatMap((step, index): CaseStep[] => {
          clock = Math.max(0, clock + step.ms);
          const called = ids[ids.length - 1 - step.later];
          if (step.kind === 'later') {
            if (!called || !(features.settle || features.inFlight)) return [];
            const isSettling = features.settle && (!features.inFlight || step.isReserving);
            if (isSettling)
              return [{ kind: 'settle', clock, id: called.id, kept: Math.min(step.kept, called.cost) }];
            return [{ kind: step.kept === 0 ? 'renew' : 'release', clock, id: called.id }];
          }
          const policy = step.policy % policies.length;
          const { levels = [], cost: ownCost = 1 } = policies[policy] ?? {};
          const cost = step.kind === 'peek' ? 0 : features.costByCall ? step.cost : ownCost;
          const id = `call-${index}`;
          if (cost > 0) ids.push({ id, cost });
          const numbers = levels.map((level, at) => {
            const own = features.personal ? step.numbers[at] : undefined;
            return own && level.algorithm !== 'in-flight'
              ? personalNumbers(level, own, features)
              : level.numbers;
          });
          const settleMs = features.settle && step.isReserving && cost > 0 ? 150 : undefined;
          return [{ kind: 'decide', clock, policy, cost, id, numbers, ...(settleMs && { settleMs }) }];
        }),
      };
    });
}

/** Returns the numbers of a call. Where calls settle, only a log may change its window, and a bucket no number. */
function personalNumbers(
  { algorithm, numbers }: OracleLevel,
  own: LevelNumbers,
  { settle }: Features,
): LevelNumbers {
  if (!settle || algorithm === 'sliding-log') return own;
  return algorithm === 'token-bucket' ? numbers : { ...numbers, limit: own.limit };
}

/** Plays a case on the oracle. Returns for each step its verdict, or whether it changed a former call. */
export function playOnOracle(
  oracle: ReturnType<typeof createLimiterOracle>,
  { policies, steps }: LimiterCase,
): (CallVerdict | boolean)[] {
  return steps.map((step) => {
    if (step.kind === 'decide') {
      const { numbers, policy, ...call } = step;
      const levels = (policies[policy]?.levels ?? []).map((level, index) => {
        return { ...level, numbers: numbers[index] ?? level.numbers };
      });
      return oracle.decide({ ...call, levels });
    }
    return step.kind === 'settle' ? oracle.settle(step) : oracle[step.kind](step);
  });
}
