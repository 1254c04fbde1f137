import { describeType, LimiterOptionError } from '../options';
import type { EffectiveLevel, EffectivePolicy, Overrides } from '../policy/overrides';
import { MAX_LIMIT } from '../policy/validate-policy';
import type { Admitted, Blocked, Decision, Denied, LevelState } from './decision';
import type { PreparedCall } from './prepared-call';

/** Explains decisions in English, for logs and operators. */
export interface Explain {
  /**
   * Returns the explanation of a decision of this limiter, one sentence a line: which level refused, what is charged and since
   * when, when it admits, and what would have let the call in, by the present overrides. Reads no store. Instants are those of the
   * decision's clock. Contains no subject.
   */
  explain(decision: Decision): string;
}

/** Creates the explanations of a limiter. `recordCost` stores the cost of a call whose policy does not have one for all. */
export function createExplain({ overrides }: { overrides: Pick<Overrides, 'find'> }): Explain & {
  recordCost(call: Pick<PreparedCall, 'declared' | 'cost'>, decision: Decision): void;
} {
  const costs = new WeakMap<Decision, number>();
  return {
    recordCost({ declared, cost }, decision) {
      if (declared.costOf) costs.set(decision, cost);
    },
    explain(decision) {
      if (typeof decision?.allowed !== 'boolean') {
        const fix = 'Give the decision of check or wait.';
        throw new LimiterOptionError('decision', describeType(decision), fix, 'explain');
      }
      const policy = overrides.find(decision.policy);
      const cost = costs.get(decision) ?? policy?.cost ?? 1;
      const lines = decision.allowed
        ? explainAdmitted(decision, cost)
        : decision.reason === 'blocked'
          ? explainBlocked(decision, policy)
          : explainDenied(decision, { policy, cost });
      const shadow = decision.shadowRefusals.map(
        (level) => `The shadow level "${level}" would have refused it.`,
      );
      return [...lines, ...shadow].join('\n');
    },
  };
}

function explainAdmitted({ policy, now, levels, replayed, degraded, delayMs }: Admitted, cost: number) {
  const start = `Policy "${policy}" admitted the call at ${instant(now)}`;
  if (levels.length === 0)
    return [`${start} uncounted, because ${degraded ? 'the store was unavailable' : 'no level takes part'}.`];
  const charge = replayed ? 'nothing, because its request id was charged before' : units(cost);
  return [
    `${start}, and charged ${charge}${replayed ? '' : ' on each level'}.`,
    ...(degraded ? [OWN_COUNT] : []),
    ...(delayMs > 0 ? [`It starts at ${instant(now + delayMs)}, in ${delayMs} ms.`] : []),
    ...levels.map(
      (state) => `Level "${state.level}": ${describeCharged(state, now)} Remaining: ${state.remaining}.`,
    ),
  ];
}

function explainBlocked({ policy: name, now, refusedBy }: Blocked, policy: EffectivePolicy | undefined) {
  const version = levelOf(policy, refusedBy)?.version;
  const by = version ? `An override (version ${version})` : 'Its policy or an override';
  return [
    `${refused(name, now)}: level "${refusedBy.level}" is in mode "block", which refuses every call until the mode is changed.`,
    `${by} sets this mode; in mode "enforce", the level decides by its limit of ${refusedBy.limit}.`,
  ];
}

function explainDenied(
  decision: Denied,
  { policy, cost }: { policy: EffectivePolicy | undefined; cost: number },
): string[] {
  const { now, refusedBy, reason, degraded, levels } = decision;
  const { level: name, retryAfterMs, punished } = refusedBy;
  const level = levelOf(policy, refusedBy);
  const start = refused(decision.policy, now);
  if (reason === 'banned') {
    const until = `until ${instant(punished?.bannedUntil ?? now + retryAfterMs)}`;
    const count = punished?.violations;
    const isRule = level && !level.punishment;
    return [
      `${start}: its subject is ${isRule ? 'denied' : 'banned'} at level "${name}" ${until}${count ? `, after ${count} violations` : ''}.`,
      isRule
        ? 'Lift the rule for this subject by setOverrides.'
        : 'Lift the ban by limiter.bans.lift, or the rule of setOverrides.',
    ];
  }
  const isLatest = level?.algorithm === 'in-flight' || policy?.settle !== undefined || refusedBy.settles;
  const others = levels.filter((state) => state !== refusedBy && state.retryAfterMs > 0);
  return [
    `${start}: level "${name}" has no room for ${units(cost)}.`,
    describeCharged(refusedBy, now),
    `It admits the call at ${instant(now + retryAfterMs)}, in ${retryAfterMs} ms${isLatest ? ', or earlier if another call ends' : ''}, if no other call is charged before.`,
    ...others.map(
      (state) => `Level "${state.level}" refuses it too, until ${instant(now + state.retryAfterMs)}.`,
    ),
    ...(punished && level?.punishment
      ? [`This was violation ${punished.violations}; violation ${level.punishment.banAt} bans the subject.`]
      : []),
    ...(degraded ? [OWN_COUNT] : listRemedies(refusedBy, { level, cost })),
  ];
}

/** Lists what would have let a call in at the level that refused it. */
function listRemedies(
  { used, limit, windowMs, remaining, algorithm }: LevelState,
  { level, cost }: { level: EffectiveLevel | undefined; cost: number },
): string[] {
  const needed = used + (algorithm === 'in-flight' ? 1 : cost);
  if (needed <= limit) return level?.queue ? ['Tickets that wait in its queue go first.'] : [];
  const plans = Object.entries(level?.plans?.limit?.values ?? {}).filter(([, value]) => value >= needed);
  const isChanged = level && level.version > 0 && level.limit === limit && level.windowMs === windowMs;
  return [
    ...(isChanged ? [`Its limit and window are those of an override (version ${level.version}).`] : []),
    ...(cost > 1 && remaining > 0 ? [`It had room for ${units(remaining)}.`] : []),
    ...plans.map(
      ([plan, value]) => `It would have had room with the plan "${plan}", whose limit is ${value}.`,
    ),
    ...(needed <= MAX_LIMIT
      ? [`It would have had room with an override of its limit to at least ${needed}.`]
      : []),
  ];
}

const OWN_COUNT = 'The store was unavailable: this node decided by its own count of its share of the limit.';

function refused(policy: string, now: number): string {
  return `Policy "${policy}" refused the call at ${instant(now)}, and charged nothing`;
}

/** Says what a level has charged, and since when. */
function describeCharged({ algorithm, used, limit, windowMs, resetMs }: LevelState, now: number): string {
  const of = `${used} of ${limit} ${algorithm === 'in-flight' ? 'calls run' : 'units are charged'}`;
  if (used === 0) return `${of}.`;
  const since = instant(now + resetMs - windowMs);
  switch (algorithm) {
    case 'in-flight':
      return `${of}; the first lease ends at ${instant(now + resetMs)}, unless it is renewed.`;
    case 'sliding-log':
      return `${of} in the last ${windowMs} ms, the oldest at ${since}.`;
    case 'sliding-counter':
      return `${of} in the last ${windowMs} ms, the oldest until ${since}, in its sub-window.`;
    case 'fixed-window':
      return `${of} since ${since}, in a window of ${windowMs} ms.`;
    default:
      return `${of}; they return evenly, ${limit} in ${windowMs} ms, the next at ${instant(now + resetMs)}.`;
  }
}

function levelOf(policy: EffectivePolicy | undefined, { level }: { level: string }) {
  return policy?.levels.find((one) => one.level === level);
}

function units(count: number): string {
  return `${count} unit${count === 1 ? '' : 's'}`;
}

/** The latest instant of a `Date`. A subject may be denied for longer. */
const MAX_DATE_MS = 8.64e15;

function instant(ms: number): string {
  return new Date(Math.min(ms, MAX_DATE_MS)).toISOString();
}
