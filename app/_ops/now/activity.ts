import { levelKey } from '../../_live/level-key';
import { useServerClock } from '../../_live/live-provider';
import { useNow } from '../../_live/use-now';
import { HISTORY_MS, type HistoryPoint } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';

/** Rates are averages of the last ten seconds, so that they can be read. */
export const RATE_MS = 10_000;
/** A level without a decision for this long is quiet. */
export const QUIET_MS = 60_000;
/** The time of one bar of a sparkline. */
const BAR_MS = 10_000;
/** The number of bars of a sparkline. */
export const BARS = HISTORY_MS / BAR_MS;

/** The decisions in each bar of a sparkline, oldest first. */
export interface Spark {
  admitted: readonly number[];
  /** Refused and blocked calls. */
  refused: readonly number[];
}

/** The recent decisions of a level. Decisions without Redis count as admitted. */
export interface Activity {
  /** Calls per second, the average of the last ten seconds. */
  admittedPerSecond: number;
  /** Refused and blocked calls per second, the average of the last ten seconds. */
  refusedPerSecond: number;
  /** Calls in the busiest second of the last ten minutes, as in the chart of a level. */
  peakPerSecond: number;
  /** Decisions within the last minute, and the refused and blocked ones among them. */
  decisions: number;
  refusals: number;
  spark: Spark;
}

const noBars: readonly number[] = Array.from({ length: BARS }, () => 0);

/** The activity of a level without decisions. */
export const noActivity: Activity = {
  ...{ admittedPerSecond: 0, refusedPerSecond: 0, peakPerSecond: 0, decisions: 0, refusals: 0 },
  spark: { admitted: noBars, refused: noBars },
};

/** Counts the decisions of each level by `levelKey`. `to` is the start of the last complete second, epoch ms. */
export function countActivity(history: readonly HistoryPoint[], to: number): Map<string, Activity> {
  const counts = new Map<string, ReturnType<typeof startCount>>();
  // Bars begin at full ten seconds, so that they move and do not change their shape.
  const first = Math.floor(to / BAR_MS) - BARS + 1;
  for (const { at, levels } of history) {
    const bar = Math.floor(at / BAR_MS) - first;
    if (bar < 0) continue;
    for (const one of levels) {
      const count = counts.get(levelKey(one)) ?? startCount();
      counts.set(levelKey(one), count);
      const admitted = one.admitted + one.degraded;
      const refused = one.refused + one.banned;
      // A level is busy from its first call on, also before all nodes have reported that second.
      if (at > to - QUIET_MS) {
        count.decisions += admitted + refused;
        count.refusals += refused;
      }
      if (at > to) continue;
      count.spark.admitted[bar] = (count.spark.admitted[bar] ?? 0) + admitted;
      count.spark.refused[bar] = (count.spark.refused[bar] ?? 0) + refused;
      count.peakPerSecond = Math.max(count.peakPerSecond, admitted + refused);
      if (at <= to - RATE_MS) continue;
      count.admittedPerSecond += admitted / (RATE_MS / 1_000);
      count.refusedPerSecond += refused / (RATE_MS / 1_000);
    }
  }
  return counts;
}

function startCount() {
  return {
    ...{ admittedPerSecond: 0, refusedPerSecond: 0, peakPerSecond: 0, decisions: 0, refusals: 0 },
    spark: { admitted: [...noBars], refused: [...noBars] },
  };
}

/** Adds the values; 0 for an empty list. */
export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** All nodes have reported a second this long after its start, in ms. */
const SETTLE_MS = 2_000;

const nextSecond = (now: number) => (Math.floor(now / 1_000) + 1) * 1_000;
const never = () => undefined;

/**
 * Returns the start of the last second that all nodes have reported, epoch ms by the server's clock; negative before the
 * first event, because there is nothing to draw until then.
 */
export function useSettledSecond(): number {
  const clock = useServerClock();
  const hasEvent = useOpsFeed(({ event }) => event !== undefined);
  const now = useNow({ clock, initial: 0, nextAt: hasEvent ? nextSecond : never });
  return Math.floor(now / 1_000) * 1_000 - SETTLE_MS;
}
