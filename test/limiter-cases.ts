import fc from 'fast-check';
import { someStart } from './limiter-arrivals';
import type {
  CallVerdict,
  createLimiterOracle,
  LevelNumbers,
  OracleAlgorithm,
  OracleLevel,
  OraclePunishment,
  OracleRule,
} from './limiter-oracle';

/** The features that the cases of a property combine. */
export interface Features {
  /** Several policies have a shared level. */
  shared?: boolean;
  /** Each call has its own cost, else each policy. */
  costByCall?: boolean;
  /** Each call has its own numbers on each level; with `settle` and without `byOverride`, only those that a policy may have. */
  personal?: boolean;
  /**
   * Some calls reserve their cost, and most of these are settled, some of them to more than that. No leaky bucket. The clock
   * does not step back.
   */
  settle?: boolean;
  /** Windows are cleared. */
  clears?: boolean;
  /** A level in flight, with releases and renewals. The clock does not step back. */
  inFlight?: boolean;
  /** The numbers of a call are those of an override of the level. Default: those of its caller. */
  byOverride?: boolean;
  /**
   * Three callers have windows of their own, and operators give them rules, which change during a case; not with `settle`,
   * where the numbers of calls change by `byOverride`.
   */
  rules?: boolean;
  /** Levels of one policy punish. Not with `settle`. */
  punishment?: boolean;
  /** Some calls have a request id, with one of two inputs. Not with `settle` or `inFlight`. */
  requestIds?: boolean;
}

/** A policy of a case. The window of its level `shared` is that of all policies. */
export interface CasePolicy {
  cost: number;
  levels: readonly CaseLevel[];
}

/** Its window belongs to one caller, unless it is shared. */
type CaseLevel = Omit<OracleLevel, 'rule'> & { isShared: boolean };

export type CaseStep =
  | {
      kind: 'decide';
      clock: number;
      policy: number;
      cost: number;
      id: string;
      caller: string;
      /** Of each level of the policy. */
      numbers: readonly LevelNumbers[];
      /** Of each level of the policy for this caller. */
      rules: readonly (OracleRule | undefined)[];
      settleMs?: number;
      request?: { id: string; input: string };
    }
  /** `numbers`: those of the call's policy at the settling. */
  | {
      kind: 'settle';
      clock: number;
      id: string;
      kept: number;
      policy: number;
      numbers: readonly LevelNumbers[];
    }
  /** Empties the window of a level for a caller. */
  | { kind: 'clear'; clock: number; policy: number; level: number; caller: string }
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

const callers = ['ada', 'bob', 'cem'] as const;

const somePunishment: fc.Arbitrary<OraclePunishment> = fc
  .record({
    banAt: fc.constantFrom(1, 1, 2, 3),
    warnAt: fc.integer({ min: 1, max: 3 }),
    banMs: fc.integer({ min: 20, max: 300 }),
    lapseMs: fc.constantFrom(20, 100, 1_000),
  })
  .map((drawn) => ({ ...drawn, warnAt: Math.min(drawn.warnAt, drawn.banAt) }));

/** A rule before the start of its case is known. A denial often ends at the instant of a call. */
type DrawnRule = Exclude<OracleRule, { kind: 'deny' }> | { kind: 'deny'; afterMs: number };

const someRule: fc.Arbitrary<DrawnRule> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('numbers' as const),
      limit: fc.option(fc.integer({ min: 3, max: 12 }), { nil: undefined }),
      windowMs: fc.option(fc.integer({ min: 20, max: 400 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'exempt' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deny' as const),
      afterMs: fc.constantFrom(1, 15, 60, 75, 120, 500),
    }),
  },
);

/** The rules of a time: of some callers at some levels. */
const someRules = fc.array(
  fc.record({ policy: fc.nat(2), caller: fc.nat(2), level: fc.nat(3), rule: someRule }),
  { maxLength: 8 },
);

/** Returns the rule of a caller at a level, as an operator may declare it. */
function toRule(
  { algorithm, isShared }: CaseLevel,
  rule: DrawnRule | undefined,
  start: number,
): OracleRule | undefined {
  // The subject of a shared level is all callers.
  if (!rule || isShared) return undefined;
  if (rule.kind === 'deny') return { kind: 'deny', until: start + rule.afterMs };
  if (rule.kind === 'exempt' || algorithm !== 'in-flight' || rule.limit === undefined) return rule;
  return { ...rule, limit: 1 + (rule.limit % 3) };
}

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
    punishment: features.punishment ? fc.option(somePunishment, { nil: undefined }) : fc.constant(undefined),
  });
  const somePolicy = fc.record({
    own: fc.array(someLevel, { maxLength: 2 }),
    hasShared: fc.integer({ min: 0, max: 3 }).map((one) => features.shared === true && one > 0),
    sharedIndex: fc.nat(2),
    inFlight: fc.boolean(),
    cost: fc.integer({ min: 1, max: 3 }),
  });
  const canStepBack = !(features.settle || features.inFlight);
  const clearing = features.clears ? (['clear'] as const) : [];
  const someOverrun = features.settle ? fc.constantFrom(0, 0, 0, 0, 1, 2, 20) : fc.constant(0);
  const someStep = fc.record({
    kind: fc.constantFrom('decide', 'decide', 'decide', 'peek', 'later', 'later', ...clearing),
    ms: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(0, 0, 1, 2, 15, 60) },
      { weight: 1, arbitrary: fc.integer({ min: canStepBack ? -60 : 0, max: 500 }) },
    ),
    policy: fc.nat(2),
    cost: fc.integer({ min: 1, max: 3 }),
    numbers: fc.array(someNumbers, { minLength: 4, maxLength: 4 }),
    later: fc.nat(5),
    kept: fc.nat(3),
    overrun: someOverrun,
    isChanging: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
    isReserving: fc.boolean(),
    // Most calls are of one caller, whose windows are full often.
    caller: features.rules ? fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2) : fc.constant(0),
    time: fc.integer({ min: 0, max: 9 }).map((one) => (one === 0 && !features.settle ? 1 : 0)),
    request: features.requestIds
      ? fc.option(fc.record({ id: fc.nat(2), input: fc.constantFrom('a', 'a', 'a', 'b') }), {
          nil: undefined,
        })
      : fc.constant(undefined),
  });
  const noRules = fc.constant([]);
  return fc
    .record({
      start: someStart,
      sharedLevel: someLevel,
      flight: fc.record({
        limit: fc.integer({ min: 1, max: 3 }),
        windowMs: fc.integer({ min: 20, max: 200 }),
      }),
      isFlightShadow: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
      policies: fc.array(somePolicy, { minLength: 2, maxLength: 3 }),
      rules: fc.tuple(features.rules ? someRules : noRules, features.rules ? someRules : noRules),
      steps: fc.array(someStep, { minLength: 1, maxLength: 40, size: 'max' }),
    })
    .map(({ start, sharedLevel, flight, isFlightShadow, policies: drawn, rules: drawnRules, steps }) => {
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
              ? { window: 'shared', isShared: true, punishment: undefined }
              : { window: `${policy}-only`, isShared: false }),
          });
        const leases = {
          algorithm: 'in-flight' as const,
          numbers: { ...flight, subWindows: 1 },
          isShadow: isFlightShadow,
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
      const numbersOf = (policy: number, drawnNumbers: readonly LevelNumbers[]) =>
        (policies[policy]?.levels ?? []).map((level, at) => {
          const own = features.personal ? drawnNumbers[at] : undefined;
          return own ? personalNumbers(level, own, features) : level.numbers;
        });
      let clock = start;
      const ids: { id: string; cost: number; policy: number; numbers: readonly LevelNumbers[] }[] = [];
      return {
        policies,
        steps: steps.flatMap((step, index): CaseStep[] => {
          clock = Math.max(0, clock + step.ms);
          const called = ids[ids.length - 1 - step.later];
          const caller = callers[step.caller] ?? 'ada';
          if (step.kind === 'clear') {
            const cleared = step.policy % policies.length;
            const level = step.later % (policies[cleared]?.levels.length ?? 1);
            return [{ kind: 'clear', clock, policy: cleared, level, caller }];
          }
          if (step.kind === 'later') {
            if (!called || !(features.settle || features.inFlight)) return [];
            const isSettling = features.settle && (!features.inFlight || step.isReserving);
            if (isSettling) {
              const { id, cost, policy } = called;
              const kept = step.overrun > 0 ? cost + step.overrun : Math.min(step.kept, cost);
              const isChanged = features.byOverride && step.isChanging;
              const numbers = isChanged ? numbersOf(policy, step.numbers) : called.numbers;
              return [{ kind: 'settle', clock, id, kept, policy, numbers }];
            }
            return [{ kind: step.kept === 0 ? 'renew' : 'release', clock, id: called.id }];
          }
          const policy = step.policy % policies.length;
          const { levels = [], cost: ownCost = 1 } = policies[policy] ?? {};
          const cost = step.kind === 'peek' ? 0 : features.costByCall ? step.cost : ownCost;
          const id = `call-${index}`;
          const numbers = numbersOf(policy, step.numbers);
          if (cost > 0) ids.push({ id, cost, policy, numbers });
          const settleMs = features.settle && step.isReserving && cost > 0 ? 150 : undefined;
          const rules = levels.map((level, at) => {
            const found = drawnRules[step.time]?.findLast(
              (one) => one.policy === policy && one.caller === step.caller && one.level === at,
            );
            return toRule(level, found?.rule, start);
          });
          const request = step.request && { ...step.request, id: `${policy}/${caller}/${step.request.id}` };
          const call = { kind: 'decide' as const, clock, policy, cost, id, caller, numbers, rules };
          return [{ ...call, ...(settleMs && { settleMs }), ...(request && { request }) }];
        }),
      };
    });
}

/** Returns the numbers of a call. Where calls settle, only a log has a window by plan, and a bucket no number by plan. */
function personalNumbers(
  { algorithm, numbers }: OracleLevel,
  own: LevelNumbers,
  { settle, byOverride }: Features,
): LevelNumbers {
  if (algorithm === 'in-flight') return { ...own, limit: 1 + (own.limit % 3), subWindows: 1 };
  if (!settle || byOverride || algorithm === 'sliding-log') return own;
  return algorithm === 'token-bucket' ? numbers : { ...numbers, limit: own.limit };
}

/** Plays a case on the oracle. Returns for each step its verdict, or whether it changed a former call; true for a clear. */
export function playOnOracle(
  oracle: ReturnType<typeof createLimiterOracle>,
  { policies, steps }: LimiterCase,
  { personal = false, byOverride = false }: Features = {},
): (CallVerdict | boolean)[] {
  const windowOf = ({ isShared, window }: CaseLevel, caller: string) =>
    isShared ? window : `${window}/${caller}`;
  return steps.map((step) => {
    if (step.kind === 'clear') {
      const level = policies[step.policy]?.levels[step.level];
      if (level) oracle.clear(windowOf(level, step.caller));
      return true;
    }
    if (step.kind === 'decide') {
      const { numbers, policy, caller, rules, ...call } = step;
      const levels = (policies[policy]?.levels ?? []).map((level, index) => {
        return {
          ...{ ...level, window: windowOf(level, caller), hasOwnLimit: personal && !byOverride },
          ...{ numbers: numbers[index] ?? level.numbers, rule: rules[index] },
        };
      });
      return oracle.decide({ ...call, levels });
    }
    return step.kind === 'settle' ? oracle.settle(step) : oracle[step.kind](step);
  });
}
