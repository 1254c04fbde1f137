import { levelKey, parseLevelKey } from '../../_live/level-key';
import type { RefusalMarks } from '../../_live/refusal-marks';
import { isEnforced } from '../../_window/window-count';
import { toShownTenths } from '../formats';
import { hasRedisErrors, isStoreFailing, isStoreSlow } from '../health';
import { HISTORY_MS, type HistoryPoint, type OpsEvent, type OpsWindow } from '../live/ops-event';
import { BARS, countActivity, RATE_MS, type Spark, sumOf } from './activity';

/** The traffic of the fleet. */
export interface Pulse {
  /** `refusing`: at least a quarter of the calls and one call per second is refused. `flood`: at least two per second. */
  traffic: 'quiet' | 'busy' | 'refusing' | 'flood';
  /** Decisions per second, the average of the last ten seconds. A call that several levels admit counts once. */
  admittedPerSecond: number;
  refusedPerSecond: number;
  /** The refused share of these decisions, from 0 to 1. */
  refusedShare: number;
  /** A call was refused in the newest `LATELY_MS`. */
  hasRefusedLately: boolean;
  /** The level with the most refusals. */
  refusing: { policy: string; level: string } | undefined;
  /** Calls in the busiest second of the last ten minutes. */
  peakPerSecond: number;
  spark: Spark;
}

/** After this time without a refusal, the rates show a flood that is over. */
export const LATELY_MS = 3_000;

/** Below this rate, a quarter may be a single call. */
const MIN_REFUSED_PER_SECOND = 1;
const MIN_FLOOD_PER_SECOND = 2;
const MIN_REFUSED_SHARE = 0.25;

/** Computes the traffic until `to`, the start of the last complete second in epoch ms. */
export function readPulse(history: readonly HistoryPoint[], to: number): Pulse {
  const levels = [...countActivity(history, to)].map(([key, activity]) => ({
    ...parseLevelKey(key),
    ...activity,
  }));
  // Every level of a policy counts the calls that the policy admits, but only one level refuses a call.
  const ofPolicies = [...new Set(levels.map(({ policy }) => policy))].map((name) =>
    levels.filter(({ policy }) => policy === name),
  );
  const admittedPerSecond = sumOf(
    ofPolicies.map((same) => Math.max(...same.map((one) => one.admittedPerSecond))),
  );
  const refusedPerSecond = sumOf(levels.map((one) => one.refusedPerSecond));
  const all = admittedPerSecond + refusedPerSecond;
  const refusedShare = all === 0 ? 0 : refusedPerSecond / all;
  const bars = Array.from({ length: BARS }, (_, bar) => bar);
  return {
    traffic: trafficOf({ all, refusedPerSecond, refusedShare }),
    ...{ admittedPerSecond, refusedPerSecond, refusedShare },
    hasRefusedLately: history.some((second) => second.at > to - LATELY_MS && countRefused(second) > 0),
    peakPerSecond: Math.max(
      0,
      ...history.filter(({ at }) => at > to - HISTORY_MS && at <= to).map(countCalls),
    ),
    refusing: levels
      .filter((one) => one.refusedPerSecond > 0)
      .toSorted((one, other) => other.refusedPerSecond - one.refusedPerSecond)[0],
    spark: {
      admitted: bars.map((bar) =>
        sumOf(ofPolicies.map((same) => Math.max(...same.map(({ spark }) => spark.admitted[bar] ?? 0)))),
      ),
      refused: bars.map((bar) => sumOf(levels.map(({ spark }) => spark.refused[bar] ?? 0))),
    },
  };
}

function trafficOf({
  all,
  refusedPerSecond,
  refusedShare,
}: Pick<Pulse, 'refusedPerSecond' | 'refusedShare'> & { all: number }): Pulse['traffic'] {
  if (all === 0) return 'quiet';
  const shown = toShownTenths(refusedPerSecond) / 10;
  if (refusedShare < MIN_REFUSED_SHARE || shown < MIN_REFUSED_PER_SECOND) return 'busy';
  return shown >= MIN_FLOOD_PER_SECOND ? 'flood' : 'refusing';
}

/** Counts the calls of a second. A call that several levels admit counts once. */
function countCalls({ levels }: HistoryPoint): number {
  const admitted = new Map<string, number>();
  for (const one of levels) {
    admitted.set(one.policy, Math.max(admitted.get(one.policy) ?? 0, one.admitted + one.degraded));
  }
  return sumOf([...admitted.values()]) + countRefused({ levels });
}

function countRefused({ levels }: Pick<HistoryPoint, 'levels'>): number {
  return sumOf(levels.map(({ refused, banned }) => refused + banned));
}

/** Returns the `levelKey` of a full shared window, which refuses the next call. The window of one caller does not count. */
export function findFullLevel(
  windows: readonly Pick<OpsWindow, 'policy' | 'level' | 'used' | 'limit' | 'mode'>[],
): string | undefined {
  const full = windows.find(
    (window) => window.level === 'global' && isEnforced(window) && window.used >= window.limit,
  );
  return full && levelKey(full);
}

/** The headline of the overview. */
export type Headline =
  | Pulse['traffic']
  | 'redisFailing'
  | 'postgresFailing'
  | 'storesFailing'
  | 'redisSlow'
  | 'postgresSlow'
  | 'errors'
  | 'starting'
  | 'resuming'
  | 'refusalsBegin'
  | 'few'
  | 'full';

interface Facts extends Pick<Pulse, 'traffic' | 'refusedShare'> {
  event: Pick<OpsEvent, 'health' | 'nodes' | 'stale' | 'alerts' | 'windows' | 'serverNow'>;
  /** The `levelKey` of a full shared window. */
  fullKey: string | undefined;
  /** A call was refused in the last ten seconds. */
  isRefusing: boolean;
  /** The chart shows earlier calls. */
  hadCalls: boolean;
}

/** Derives the headline from the numbers and the health next to it. A failing store comes first. */
export function readHeadline({
  event,
  traffic,
  refusedShare,
  fullKey,
  isRefusing,
  hadCalls,
}: Facts): Headline {
  const isRedisFailing = event.stale || isStoreFailing('redis', event);
  const isPostgresFailing = isStoreFailing('postgres', event);
  if (isRedisFailing && isPostgresFailing) return 'storesFailing';
  if (isRedisFailing) return 'redisFailing';
  if (isPostgresFailing) return 'postgresFailing';
  if (traffic === 'flood') return 'flood';
  // Failed calls have no outcome, so the rates do not show them.
  if (hasRedisErrors(event)) return 'errors';
  if (isStoreSlow('redis', event)) return 'redisSlow';
  if (isStoreSlow('postgres', event)) return 'postgresSlow';
  if (traffic === 'refusing') return 'refusing';
  if (fullKey !== undefined) return 'full';
  // The rates do not show the first refusals yet.
  if (isRefusing && refusedShare === 0) return 'refusalsBegin';
  if (traffic === 'busy' && refusedShare >= 0.5) return 'few';
  if (traffic !== 'quiet' || !hasRecentHits(event)) return traffic;
  return hadCalls ? 'resuming' : 'starting';
}

/** Returns the words for normal traffic with refusals. A share in the text would be announced each second. */
export function readAdmitted(refusedShare: number): 'mostAdmitted' | 'someRefused' {
  return refusedShare < 0.1 ? 'mostAdmitted' : 'someRefused';
}

/** Returns true if a window counts a call of the last ten seconds, which the rates show up to three seconds later. */
export function hasRecentHits({ windows, serverNow }: Pick<OpsEvent, 'windows' | 'serverNow'>): boolean {
  return windows.some(({ hits }) => hits.some((hit) => hit > serverNow - RATE_MS));
}

/** Returns true if a call was refused in the last `withinMs`, which the rates show up to three seconds later. */
export function hasRecentRefusals(
  refused: RefusalMarks,
  { serverNow, withinMs }: Pick<OpsEvent, 'serverNow'> & { withinMs: number },
): boolean {
  return Object.values(refused).some((marks) => marks.some(({ at }) => at > serverNow - withinMs));
}
