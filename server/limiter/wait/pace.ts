import type { Decision, LevelState } from '../decide/decision';
import { endsByTime } from '../decide/denial-cache';
import type { ResolvedPolicy } from '../policy/policy';

/** The decisions on waiters that were sent together. */
export interface Round {
  policy: ResolvedPolicy;
  /** Units of each call. */
  cost: number;
  /** The number of admitted calls. */
  count: number;
  /** The first refusal, else the last admission. */
  decision: Decision;
}

/** The next round of a line. */
export interface Step {
  /** The number of waiters that are sent together. */
  checks: number;
  /** That number for waiters whose time is over: those for which there is room. */
  lastChecks: number;
  /** The time until they are sent. */
  pauseMs: number;
  /** The greatest number of admitted calls that have not started yet. */
  maxDelayed: number;
  /** True if a call that ends may make room during the pause. */
  isPolling: boolean;
}

/** The step of a line without a decision. */
export const FIRST_STEP: Step = { checks: 1, lastChecks: 1, pauseMs: 0, maxDelayed: 1, isPolling: false };

/** The longest pause if a call that ends makes room. */
const POLL_MS = 250;
/** The longest pause: an emptied store, and a window that another node has cleared, are noticed within this time. */
const MAX_PAUSE_MS = 10_000;
/** A line charges the calls of this time in a leaky bucket before they start: more than those of a round trip. */
const AHEAD_MS = 100;
const MAX_CHECKS = 100;
/** A line takes this part of the room in one round, and leaves the rest to other processes. */
const PART_OF_ROOM = 1 / 4;
/** The greatest lag, as a part of the window. */
const LAG = 1 / 10;
const MAX_LAG_MS = 250;
/** The number of windows over which the share of a line is measured. */
const MEASURED_WINDOWS = 4;
/** The number of windows for which other processes are expected after the last sign of them. */
const EXPECTED_WINDOWS = 10;
/** Without such a sign, one wait in 10 has a lag, so that a process whose timers are always later is admitted, too. */
const LAGGING_WAITS = 10;

/**
 * Creates the function that paces the rounds of a line, so that processes share a window evenly without communication.
 *
 * A full window refuses all processes until the same instant. If all check then, the one with the earliest timer gets every
 * unit, and the others are refused. So a line checks after a lag in proportion to its share of the units: the line with
 * the fewest checks first. During the lag more units return, which one line takes together, so fewer calls are refused.
 * https://github.com/floodgate-limiter/floodgate/blob/main/docs/decisions/060-waiting-for-a-limit.md has the numbers.
 */
export function createPace(clock: () => number): (round: Round) => Step {
  /** Units of this line, those of earlier windows less and less. */
  let taken = 0;
  let takenAt = 0;
  /** Units since then. */
  let added = 0;
  /** The room at the next round if no other process takes any; `undefined` if unknown. */
  let expectedRoom: number | undefined;
  /** The last sign of another process. */
  let othersAt = Number.NEGATIVE_INFINITY;

  function lagOf({ limit, windowMs }: LevelState): number {
    const now = clock();
    taken = taken * Math.exp((takenAt - now) / (MEASURED_WINDOWS * windowMs)) + added;
    [takenAt, added] = [now, 0];
    const isAlone = now > othersAt + EXPECTED_WINDOWS * windowMs;
    if (isAlone && Math.random() * LAGGING_WAITS >= 1) return 0;
    const share = Math.min(1, taken / MEASURED_WINDOWS / limit);
    return Math.min(LAG * windowMs, MAX_LAG_MS) * share * (0.5 + Math.random());
  }

  return function nextStep({ policy, cost, count, decision }) {
    const { levels, allowed } = decision;
    const maxDelayed = maxDelayedOf(levels, cost);
    const room = roomOf(levels);
    added += count * cost;
    if (expectedRoom !== undefined && (!allowed || room < expectedRoom - count * cost)) othersAt = clock();

    if (allowed && levels.every(({ retryAfterMs }) => retryAfterMs === 0)) {
      expectedRoom = room >= cost ? room : undefined;
      return { ...FIRST_STEP, ...checksOf(levels, cost), maxDelayed };
    }
    const { full, isCertain } = fullLevelOf(policy, levels);
    expectedRoom = full && cost === 1 ? 0 : undefined;
    const waitMs = full ? Math.ceil(full.retryAfterMs + lagOf(full)) : POLL_MS;
    const pauseMs = Math.min(waitMs, isCertain ? MAX_PAUSE_MS : POLL_MS);
    return { ...FIRST_STEP, pauseMs, maxDelayed, isPolling: !isCertain };
  };
}

/** Returns the numbers of waiters to send together after an admission that left room. */
function checksOf(levels: readonly LevelState[], cost: number): Pick<Step, 'checks' | 'lastChecks'> {
  const inFlight = levels.filter(({ algorithm }) => algorithm === 'in-flight');
  const calls = Math.min(roomOf(levels) / cost, ...inFlight.map(({ remaining }) => remaining));
  const atMost = (checks: number) => Math.min(Math.max(1, checks), MAX_CHECKS);
  return { checks: atMost(Math.ceil(calls * PART_OF_ROOM)), lastChecks: atMost(Math.floor(calls)) };
}

function maxDelayedOf(levels: readonly LevelState[], cost: number): number {
  const leaky = levels.filter(({ algorithm }) => algorithm === 'leaky-bucket');
  const ahead = leaky.map(({ limit, windowMs }) => Math.floor((AHEAD_MS * limit) / (windowMs * cost)));
  return Math.max(1, Math.min(...ahead));
}

/** Returns the units that all windows have room for. */
function roomOf(levels: readonly LevelState[]): number {
  const windows = levels.filter(({ algorithm }) => algorithm !== 'in-flight');
  return Math.min(...windows.map(({ remaining }) => remaining));
}

/**
 * Returns the window that is full for the longest time; `undefined` if only levels in flight are full. It is certain unless a
 * call that ends or settles, or a node that leases units, may make room earlier.
 */
export function fullLevelOf(
  policy: ResolvedPolicy,
  levels: readonly LevelState[],
): { full: LevelState | undefined; isCertain: boolean } {
  const fullest = levels
    .filter(({ algorithm, retryAfterMs }) => algorithm !== 'in-flight' && retryAfterMs > 0)
    .toSorted((one, other) => other.retryAfterMs - one.retryAfterMs);
  const leased = policy.levels.flatMap(({ level, lease }) => (lease ? [level] : []));
  const certain = fullest.find((level) => endsByTime(policy, level) && !leased.includes(level.level));
  return { full: certain ?? fullest[0], isCertain: certain !== undefined };
}
