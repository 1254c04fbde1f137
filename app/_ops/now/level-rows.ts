import { type RefObject, useEffect, useMemo, useState } from 'react';
import { type Order, sortRows } from '../../_components/ui/sort-rows';
import { levelKey } from '../../_live/level-key';
import { isEnforced } from '../../_window/window-count';
import { toShownTenths } from '../formats';
import { useIsOutage } from '../health';
import { isOverridden, sortLevels } from '../levels';
import type { HistoryPoint, OpsEvent } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { Level, Policy } from '../types';
import { type Activity, countActivity, noActivity, QUIET_MS, useSettledSecond } from './activity';

/** The order of `listLevelRows`. No column has its id. */
export const defaultOrder: Order = { id: 'attention', direction: 'desc' };

interface RowsOptions {
  policies: Policy[];
  order: Order;
  /** Returns the sort value of a row in that order. */
  sortBy: ((row: LevelRow) => number | string | undefined) | undefined;
  /** While the pointer or the focus is within it, the shown rows keep their order, so that no click hits another row. */
  frame: RefObject<HTMLElement | null>;
}

interface FoldedRows extends ReturnType<typeof foldQuiet> {
  /** True if the rows are in an older order, which is kept while an operator points at them. */
  isOrderKept: boolean;
}

/** Returns the rows of the table, and the quiet ones that it folds. */
export function useLevelRows({ policies, order, sortBy, frame }: RowsOptions): FoldedRows {
  const isHeld = useHeld(frame);
  const history = useOpsFeed((snapshot) => snapshot.history);
  // A text keeps its identity from one event to the next.
  const attention = useOpsFeed(({ event }) => listAttention(policies, event).join());
  const full = useOpsFeed(({ event }) => listFull(event?.windows).join());
  const settled = useSettledSecond();
  // No second of an outage is known, so the rows stay as they were.
  const to = useIsOutage() ? (history.at(-1)?.at ?? settled) : settled;
  const byAttention = useMemo(
    () =>
      listLevelRows({
        ...{ policies, history, to },
        attention: new Set(attention.split(',')),
        full: new Set(full.split(',')),
      }),
    [policies, history, to, attention, full],
  );
  const rows =
    order.id === defaultOrder.id
      ? byAttention
      : sortRows(byAttention, { sortBy, direction: order.direction });

  const [kept, setKept] = useState<{ order: Order; keys: readonly string[] }>();
  const isKept = isHeld && kept?.order === order;
  const folded = foldQuiet(rows, isKept ? kept.keys : undefined);
  const keys = folded.shown.map(rowKey);
  if (isHeld && !isKept) setKept({ order, keys });
  if (!isHeld && kept) setKept(undefined);
  const ordered = rows.map(rowKey).filter((key) => keys.includes(key));
  return { ...folded, isOrderKept: ordered.join() !== keys.join() };
}

/** A row of the overview. */
export interface LevelRow extends Activity {
  policy: Policy;
  level: Level;
  isQuiet: boolean;
  /** The share of all decision time of the last minute that the policy of the level took. `undefined` if not known. */
  timeShare: number | undefined;
  /** The first row of its policy shows the share, so that the shares of a table add up. */
  isFirstOfPolicy: boolean;
  /** The row before it is of the same policy: it shows the name of the level only. */
  isJoined: boolean;
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

/** The policy of the sale, which is always shown, and first. */
const SALE = 'coupon.seckill';

/** The policies of the sign-in. An operator who has just signed in has made them busy. */
const SIGN_IN = /^auth\./;
/** Below this number of calls per second, sign-ins that are all admitted are idle. */
const MIN_SIGN_INS = 1;

/**
 * Lists all levels, those of a policy together. The sale comes first, then policies with calls at their limits, then the
 * busiest: by calls per second, then by refused ones, both rounded as they are shown, those without calls now by the calls of
 * the last minute, then by name. Quiet ones come last: all levels of a policy are quiet, or none is.
 */
export function listLevelRows({ policies, history, to, attention, full }: Options): LevelRow[] {
  const activities = countActivity(history, to);
  const shares = timeShares(history, to);
  // A window under load is full and has room again within a second, so a level that has just refused stays first. A window of
  // a day stays full for hours after its last call.
  const isAtLimit = (row: LevelRow) => refusedOf(row) > 0 || (full.has(rowKey(row)) && row.decisions > 0);
  const rows = policies.flatMap((policy) =>
    sortLevels(policy.levels).map((level, index): LevelRow => {
      const key = levelKey({ policy: policy.policy, level: level.level });
      const activity = activities.get(key) ?? noActivity;
      const isIdleSignIn =
        SIGN_IN.test(policy.policy) && activity.refusals === 0 && activity.admittedPerSecond < MIN_SIGN_INS;
      const isQuiet = !attention.has(key) && (isIdleSignIn || (activity.decisions === 0 && !full.has(key)));
      const timeShare = shares.get(policy.policy);
      return {
        policy,
        level,
        isQuiet,
        timeShare,
        isFirstOfPolicy: index === 0,
        isJoined: false,
        ...activity,
      };
    }),
  );
  const compare = (one: LevelRow, other: LevelRow) =>
    Number(isSale(other)) - Number(isSale(one)) ||
    Number(isAtLimit(other)) - Number(isAtLimit(one)) ||
    callsOf(other) - callsOf(one) ||
    refusedOf(other) - refusedOf(one) ||
    (callsOf(one) === 0 ? other.decisions - one.decisions : 0) ||
    Number(one.isQuiet) - Number(other.isQuiet) ||
    // Not `localeCompare`, whose first call blocks a phone for 30 ms.
    (rowKey(one) < rowKey(other) ? -1 : 1);
  const leading = new Map(
    rows
      .toSorted(compare)
      .toReversed()
      .map((row) => [row.policy, row]),
  );
  const sorted = rows.toSorted((one, other) => {
    const [leadingOne = one, leadingOther = other] = [leading.get(one.policy), leading.get(other.policy)];
    // The levels of a policy keep their order.
    return leadingOne === leadingOther ? 0 : compare(leadingOne, leadingOther);
  });
  const shown = new Set(rows.filter((row) => !row.isQuiet).map(({ policy }) => policy));
  return sorted.map((row) => ({ ...row, isQuiet: !isSale(row) && !shown.has(row.policy) }));
}

function isSale({ policy: { policy } }: LevelRow): boolean {
  return policy === SALE;
}

/** Marks the rows that continue the policy of the row before. */
export function joinRows(rows: readonly LevelRow[]): LevelRow[] {
  return rows.map((row, index) => ({ ...row, isJoined: rows[index - 1]?.policy === row.policy }));
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

/** Returns the `levelKey`s of enforced levels whose windows are full: they refuse the next call of that caller. */
export function listFull(windows: OpsEvent['windows'] = []): string[] {
  return windows.filter((window) => isEnforced(window) && window.used >= window.limit).map(levelKey);
}

/** Returns true if an alert names the policy. */
export function isAlerting(policy: string, event: Pick<OpsEvent, 'alerts'> | undefined): boolean {
  return event?.alerts.active.some(({ target }) => target === policy) ?? false;
}

/** Returns true while the pointer or the focus is within an element. */
function useHeld(element: RefObject<HTMLElement | null>): boolean {
  const [isPointed, setPointed] = useState(false);
  const [hasFocus, setFocus] = useState(false);

  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const listeners = new AbortController();
    const { signal } = listeners;
    current.addEventListener('pointerenter', () => setPointed(true), { signal });
    current.addEventListener('pointerleave', () => setPointed(false), { signal });
    current.addEventListener('focusin', () => setFocus(true), { signal });
    current.addEventListener('focusout', () => setFocus(false), { signal });
    return () => listeners.abort();
  }, [element]);

  return isPointed || hasFocus;
}
