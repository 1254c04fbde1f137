import { levelKey } from '../../_live/live-snapshot';
import type { HistoryPoint, OpsEvent } from '../live/ops-event';
import type { Level, Policy } from '../types';

/** Rates are averages of the last ten seconds, so that they can be read. */
export const RATE_MS = 10_000;
/** A level without a decision for this long is quiet. */
export const QUIET_MS = 60_000;

/** A row of the overview. */
export interface LevelRow {
  policy: Policy;
  level: Level;
  /** Calls per second, the average of the last ten seconds. */
  admittedPerSecond: number;
  /** Refused and blocked calls per second, the average of the last ten seconds. */
  refusedPerSecond: number;
  /** Decisions within the last minute. */
  decisions: number;
  isQuiet: boolean;
}

interface Options {
  policies: readonly Policy[];
  history: readonly HistoryPoint[];
  /** Start of the last complete second, epoch ms. */
  to: number;
  /** The `levelKey`s of levels that are never quiet. */
  attention: ReadonlySet<string>;
}

/** Lists all levels: most refused first, then most admitted, then by name. */
export function listLevelRows({ policies, history, to, attention }: Options): LevelRow[] {
  const counts = countDecisions(history, to);
  const perSecond = (count: number) => count / (RATE_MS / 1_000);
  const rows = policies.flatMap((policy) =>
    policy.levels.map((level): LevelRow => {
      const key = levelKey({ policy: policy.policy, level: level.level });
      const { admitted = 0, refused = 0, decisions = 0 } = counts.get(key) ?? {};
      return {
        ...{ policy, level, decisions },
        admittedPerSecond: perSecond(admitted),
        refusedPerSecond: perSecond(refused),
        isQuiet: decisions === 0 && !attention.has(key),
      };
    }),
  );
  return rows.toSorted(
    (one, other) =>
      other.refusedPerSecond - one.refusedPerSecond ||
      other.admittedPerSecond - one.admittedPerSecond ||
      other.decisions - one.decisions ||
      Number(one.isQuiet) - Number(other.isQuiet) ||
      rowKey(one).localeCompare(rowKey(other)),
  );
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

/** Returns the `levelKey`s of levels that are off, in shadow, overridden, or alerting. */
export function listAttention(
  policies: readonly Policy[],
  event: Pick<OpsEvent, 'windows' | 'alerts'> | undefined,
): string[] {
  return policies.flatMap(({ policy, levels }) =>
    levels
      .filter((level) => {
        const window = event?.windows.find((one) => one.policy === policy && one.level === level.level);
        const { mode } = window ?? level;
        return mode !== 'enforce' || isOverridden(level, window) || isAlerting(policy, event);
      })
      .map(({ level }) => levelKey({ policy, level })),
  );
}

/** Returns true if an alert names the policy. */
export function isAlerting(policy: string, event: Pick<OpsEvent, 'alerts'> | undefined): boolean {
  return event?.alerts.active.some(({ target }) => target === policy) ?? false;
}

/** Returns true if the effective limit differs from the declared one. `window` is newer than the level. */
export function isOverridden(
  { declared, effective }: Pick<Level, 'declared' | 'effective'>,
  window: { limit: number; windowMs: number } | undefined,
): boolean {
  const { limit, windowMs } = window ?? effective;
  return limit !== declared.limit || windowMs !== declared.windowMs;
}

/** Returns the decisions of each level by `levelKey`: by outcome within the rate's time, all within the last minute. */
function countDecisions(history: readonly HistoryPoint[], to: number) {
  const counts = new Map<string, { admitted: number; refused: number; decisions: number }>();
  for (const { at, levels } of history) {
    if (at <= to - QUIET_MS || at > to) continue;
    for (const one of levels) {
      const count = counts.get(levelKey(one)) ?? { admitted: 0, refused: 0, decisions: 0 };
      const admitted = one.admitted + one.degraded;
      const refused = one.refused + one.banned;
      const isRecent = at > to - RATE_MS;
      counts.set(levelKey(one), {
        admitted: count.admitted + (isRecent ? admitted : 0),
        refused: count.refused + (isRecent ? refused : 0),
        decisions: count.decisions + admitted + refused,
      });
    }
  }
  return counts;
}
