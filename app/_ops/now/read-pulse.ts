import type { HistoryPoint } from '../live/ops-event';
import { BARS, countActivity, type Spark } from './count-activity';

/** The traffic of the fleet. */
export interface Pulse {
  /** `flood`: at least a quarter of the calls is refused, and at least two per second. */
  state: 'quiet' | 'busy' | 'flood';
  /** Decisions per second, the average of the last ten seconds. A call that several levels admit counts once. */
  admittedPerSecond: number;
  refusedPerSecond: number;
  /** The level with the most refusals. */
  refusing: { policy: string; level: string } | undefined;
  spark: Spark;
}

const MIN_FLOOD_PER_SECOND = 2;
const MIN_FLOOD_SHARE = 0.25;

/** Computes the traffic until `to`, the start of the last complete second in epoch ms. */
export function readPulse(history: readonly HistoryPoint[], to: number): Pulse {
  const levels = [...countActivity(history, to)].map(([key, activity]) => ({
    policy: key.slice(0, key.indexOf(':')),
    level: key.slice(key.indexOf(':') + 1),
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
  const isFlood = refusedPerSecond >= MIN_FLOOD_PER_SECOND && refusedPerSecond >= all * MIN_FLOOD_SHARE;
  const bars = Array.from({ length: BARS }, (_, bar) => bar);
  return {
    state: all === 0 ? 'quiet' : isFlood ? 'flood' : 'busy',
    ...{ admittedPerSecond, refusedPerSecond },
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

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
