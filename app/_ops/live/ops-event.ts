import { isListOf, isNumber, isRecord, parseJson } from '../../_live/read-json';

/** The window of a level. Of a level by subject: the window of its top subject. */
export interface OpsWindow {
  policy: string;
  level: string;
  limit: number;
  windowMs: number;
  used: number;
  mode: string;
  algorithm: string;
  retryAfterMs: number;
  /** The instant of the reading on Redis's clock. `retryAfterMs` counts from it. */
  readAt: number;
  /** Epoch ms by Redis's clock, the newest 200. */
  hits: number[];
  bannedUntil?: number | undefined;
  /** The masked subject and its reference for the server; absent for a global level or without a known subject. */
  subject?: { ref: string; subject: string } | undefined;
}

/** The number of calls by outcome. */
export interface Outcomes {
  admitted: number;
  refused: number;
  banned: number;
  degraded: number;
}

export interface LevelOutcomes extends Outcomes {
  policy: string;
  level: string;
}

/** The decisions of all nodes within the second that starts at `at`. */
export interface HistoryPoint {
  at: number;
  levels: LevelOutcomes[];
}

/** An alert. Instants are epoch ms. */
export interface Alert {
  id: string;
  rule: string;
  /** A policy, a store, or ''. */
  target: string;
  raisedAt: number;
  clearedAt?: number | undefined;
  value: number;
  threshold: number;
}

export interface Health {
  ok: boolean;
  detail: string;
}

export interface OpsNode {
  node: string;
  viewers: number;
  /** The names of the dependencies that this node lacks. */
  failing: string[];
}

/** An `ops` event of /api/ops/live, for the whole fleet. */
export interface OpsEvent {
  /** Redis's clock, epoch ms. */
  serverNow: number;
  /** Redis is down, and these are its last known values. */
  stale: boolean;
  windows: OpsWindow[];
  /** Totals, which only grow. */
  rates: LevelOutcomes[];
  /** The number of active bans. */
  bans: number;
  /** The newest finished seconds. The first event of a stream has all known ones. */
  history: HistoryPoint[];
  /** The latency of the last minute; null without decisions. */
  latency: { p50Ms: number; p99Ms: number; decisions: number } | null;
  health: Record<string, Health>;
  nodes: OpsNode[];
  viewers: number;
  alerts: { active: Alert[]; recent: Alert[] };
}

/** Parses an event. Returns `undefined` for an invalid one, which counts as silence. */
export function parseOpsEvent(text: string): OpsEvent | undefined {
  const data = parseJson(text);
  if (!isOpsEvent(data)) return undefined;
  return { ...data, windows: data.windows.map((window) => ({ ...window, readAt: data.serverNow })) };
}

/** Seconds are kept this long, as on the server. */
export const HISTORY_MS = 300_000;

/**
 * Merges the newest seconds of an event into the history, oldest first. Returns the same list if nothing changed, so
 * that nothing redraws.
 */
export function mergeHistory(
  before: readonly HistoryPoint[],
  { history, serverNow }: { history: readonly HistoryPoint[]; serverNow: number },
): readonly HistoryPoint[] {
  const first = history[0];
  if (!first) return before;
  if (JSON.stringify(before.slice(-history.length)) === JSON.stringify(history)) return before;
  const kept = before.filter(({ at }) => at < first.at && at >= serverNow - HISTORY_MS);
  return [...kept, ...history];
}

/** Checks everything but `readAt`, which the caller adds. */
function isOpsEvent(value: unknown): value is OpsEvent {
  return (
    isRecord(value) &&
    isNumber(value.serverNow) &&
    typeof value.stale === 'boolean' &&
    isListOf(value.windows, isWindow) &&
    isListOf(value.rates, isLevelOutcomes) &&
    isNumber(value.bans) &&
    isListOf(value.history, isHistoryPoint) &&
    (value.latency === null || isLatency(value.latency)) &&
    isRecord(value.health) &&
    Object.values(value.health).every(isHealth) &&
    isListOf(value.nodes, isNode) &&
    isNumber(value.viewers) &&
    isRecord(value.alerts) &&
    isListOf(value.alerts.active, isAlert) &&
    isListOf(value.alerts.recent, isAlert)
  );
}

function isWindow(value: unknown): value is OpsWindow {
  return (
    isOfLevel(value) &&
    [value.limit, value.windowMs, value.used, value.retryAfterMs].every(isNumber) &&
    typeof value.algorithm === 'string' &&
    typeof value.mode === 'string' &&
    isListOf(value.hits, isNumber) &&
    (value.bannedUntil === undefined || isNumber(value.bannedUntil)) &&
    (value.subject === undefined || isSubject(value.subject))
  );
}

function isSubject(value: unknown): boolean {
  return isRecord(value) && typeof value.ref === 'string' && typeof value.subject === 'string';
}

function isLevelOutcomes(value: unknown): value is LevelOutcomes {
  return isOfLevel(value) && [value.admitted, value.refused, value.banned, value.degraded].every(isNumber);
}

function isHistoryPoint(value: unknown): value is HistoryPoint {
  return isRecord(value) && isNumber(value.at) && isListOf(value.levels, isLevelOutcomes);
}

function isLatency(value: unknown): boolean {
  return isRecord(value) && [value.p50Ms, value.p99Ms, value.decisions].every(isNumber);
}

function isHealth(value: unknown): value is Health {
  return isRecord(value) && typeof value.ok === 'boolean' && typeof value.detail === 'string';
}

function isNode(value: unknown): value is OpsNode {
  return (
    isRecord(value) &&
    typeof value.node === 'string' &&
    isNumber(value.viewers) &&
    isListOf(value.failing, (name) => typeof name === 'string')
  );
}

function isAlert(value: unknown): value is Alert {
  return (
    isRecord(value) &&
    [value.id, value.rule, value.target].every((text) => typeof text === 'string') &&
    [value.raisedAt, value.value, value.threshold].every(isNumber) &&
    (value.clearedAt === undefined || isNumber(value.clearedAt))
  );
}

function isOfLevel(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && typeof value.policy === 'string' && typeof value.level === 'string';
}
