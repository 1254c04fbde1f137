import { levelKey } from '../../_live/level-key';
import type { HistoryPoint } from '../live/ops-event';
import type { Level, Policy } from '../types';
import { type Activity, countActivity, noActivity, QUIET_MS } from './count-activity';
import { toShownTenths } from './format-rate';

/** A row of the overview. */
export interface LevelRow extends Activity {
  policy: Policy;
  level: Level;
  isQuiet: boolean;
  /** The share of all decision time of the last minute that the policy of the level took. `undefined` if not known. */
  timeShare: number | undefined;
  /** The first row of its policy shows the share, so that the shares of a table add up. */
  isFirstOfPolicy: boolean;
}

interface Options {
  policies: readonly Policy[];
  history: readonly HistoryPoint[];
  /** Start of the last complete second, epoch ms. */
  to: number;
  /** The `levelKey`s of levels that are never quiet. */
  attention: ReadonlySet<string>;
  /** The `levelKey`s of levels whose windows are full. */
  full: ReadonlySet<string>;
}

/**
 * Lists all levels, those with calls at their limits first, then the busiest: by calls per second, then by refused ones, both
 * rounded as they are shown, those without calls now by the calls of the last minute, then by name. Quiet ones come last.
 */
export function listLevelRows({ policies, history, to, attention, full }: Options): LevelRow[] {
  const activities = countActivity(history, to);
  const shares = timeShares(history, to);
  // A window under load is full and has room again within a second, so a level that has just refused stays first. A window of
  // a day stays full for hours after its last call.
  const isAtLimit = (row: LevelRow) => refusedOf(row) > 0 || (full.has(rowKey(row)) && row.decisions > 0);
  const rows = policies.flatMap((policy) =>
    policy.levels.map((level): LevelRow => {
      const key = levelKey({ policy: policy.policy, level: level.level });
      const activity = activities.get(key) ?? noActivity;
      const isQuiet = activity.decisions === 0 && !attention.has(key) && !full.has(key);
      const timeShare = shares.get(policy.policy);
      return { policy, level, isQuiet, timeShare, isFirstOfPolicy: false, ...activity };
    }),
  );
  const sorted = rows.toSorted(
    (one, other) =>
      Number(isAtLimit(other)) - Number(isAtLimit(one)) ||
      callsOf(other) - callsOf(one) ||
      refusedOf(other) - refusedOf(one) ||
      (callsOf(one) === 0 ? other.decisions - one.decisions : 0) ||
      Number(one.isQuiet) - Number(other.isQuiet) ||
      // Not `localeCompare`, whose first call blocks a phone for 30 ms.
      (rowKey(one) < rowKey(other) ? -1 : 1),
  );
  const isFirst = (row: LevelRow) => row === sorted.find(({ policy }) => policy === row.policy);
  return sorted.map((row) => ({ ...row, isFirstOfPolicy: isFirst(row) }));
}

function callsOf({ admittedPerSecond, refusedPerSecond }: Activity): number {
  return toShownTenths(admittedPerSecond + refusedPerSecond);
}

function refusedOf({ refusedPerSecond }: Activity): number {
  return toShownTenths(refusedPerSecond);
}

/** Returns the `levelKey` of a row. */
export function rowKey({ policy: { policy }, level: { level } }: Pick<LevelRow, 'policy' | 'level'>): string {
  return levelKey({ policy, level });
}

/** Splits rows into those to show and the quiet ones. Rows in `kept` are shown first, in the order of `kept`. */
export function foldQuiet(
  rows: readonly LevelRow[],
  kept: readonly string[] = [],
): { shown: LevelRow[]; quiet: LevelRow[] } {
  const rankOf = (row: LevelRow) => (kept.includes(rowKey(row)) ? kept.indexOf(rowKey(row)) : kept.length);
  const isShown = (row: LevelRow) => !row.isQuiet || kept.includes(rowKey(row));
  return {
    shown: rows.filter(isShown).toSorted((one, other) => rankOf(one) - rankOf(other)),
    quiet: rows.filter((row) => !isShown(row)),
  };
}

/** Returns the share of each policy in the decision time of the last minute. Older nodes do not report times. */
function timeShares(history: readonly HistoryPoint[], to: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const { at, decisionMs = {} } of history) {
    if (at <= to - QUIET_MS || at > to) continue;
    for (const [policy, ms] of Object.entries(decisionMs)) times.set(policy, (times.get(policy) ?? 0) + ms);
  }
  const total = [...times.values()].reduce((sum, ms) => sum + ms, 0);
  return new Map([...times].map(([policy, ms]) => [policy, total > 0 ? ms / total : 0]));
}
