import type { OpsState } from '../../../server/router';
import { hasFields, isListOf, isNumber, isRecord, parseJson } from '../../_live/parse-json';

type StateWindow = OpsState['windows'][number];

/** The window of a level. Of a level by subject: the window of its top subject. A newer server may have other algorithms. */
export interface OpsWindow
  extends Omit<StateWindow, 'algorithm' | 'mode' | 'remaining' | 'bannedUntil' | 'subject'> {
  algorithm: string;
  mode: string;
  /** The instant of the reading on Redis's clock. `retryAfterMs` counts from it. */
  readAt: number;
  bannedUntil?: number | undefined;
  subject?: StateWindow['subject'] | undefined;
}

export type LevelOutcomes = OpsState['rates'][number];
/** The number of calls by outcome. */
export type Outcomes = Omit<LevelOutcomes, 'policy' | 'level'>;
/** The decisions of all nodes within the second that starts at `at`. */
export type HistoryPoint = OpsState['history'][number];
/** The queue behind a full window. */
export type OpsQueue = OpsState['queues'][number];
export type Health = OpsState['health'][string];

/** An alert. Instants are epoch ms. A newer server may have other rules. */
export interface Alert extends Omit<OpsState['alerts']['active'][number], 'rule' | 'summary'> {
  rule: string;
}

/** An `ops` event of /api/ops/live, for the whole fleet. */
export interface OpsEvent extends Omit<OpsState, 'windows' | 'alerts'> {
  windows: OpsWindow[];
  alerts: { active: Alert[]; recent: Alert[] };
}

/** Parses an event. Returns `undefined` for an invalid one, which counts as silence. */
export function parseOpsEvent(text: string): OpsEvent | undefined {
  const data = parseJson(text);
  if (!isOpsEvent(data)) return undefined;
  const { queues = [] } = data;
  return { ...data, queues, windows: data.windows.map((window) => ({ ...window, readAt: data.serverNow })) };
}

/** Seconds are kept this long, as on the server. */
export const HISTORY_MS = 600_000;

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
function isOpsEvent(value: unknown): value is Omit<OpsEvent, 'queues'> & { queues?: OpsQueue[] } {
  return (
    hasFields(value, { numbers: ['serverNow', 'bans', 'viewers'] }) &&
    typeof value.stale === 'boolean' &&
    isListOf(value.windows, isWindow) &&
    isListOf(value.rates, isLevelOutcomes) &&
    // An older node, during an update, sends no queues.
    (value.queues === undefined || isListOf(value.queues, isQueue)) &&
    isListOf(value.history, isHistoryPoint) &&
    (value.latency === null || hasFields(value.latency, { numbers: ['p50Ms', 'p99Ms', 'decisions'] })) &&
    isRecord(value.health) &&
    Object.values(value.health).every(isHealth) &&
    isListOf(value.nodes, isNode) &&
    isRecord(value.alerts) &&
    isListOf(value.alerts.active, isAlert) &&
    isListOf(value.alerts.recent, isAlert)
  );
}

function isWindow(value: unknown): value is OpsWindow {
  const texts = ['policy', 'level', 'algorithm', 'mode'];
  const numbers = ['limit', 'windowMs', 'used', 'retryAfterMs'];
  return (
    hasFields(value, { texts, numbers }) &&
    isListOf(value.hits, isNumber) &&
    (value.bannedUntil === undefined || isNumber(value.bannedUntil)) &&
    (value.subject === undefined || hasFields(value.subject, { texts: ['ref', 'subject'] }))
  );
}

function isLevelOutcomes(value: unknown): value is LevelOutcomes {
  const numbers = ['admitted', 'refused', 'banned', 'degraded'];
  return hasFields(value, { texts: ['policy', 'level'], numbers });
}

function isQueue(value: unknown): value is OpsQueue {
  const numbers = ['waiting', 'version', 'unfinished', 'served', 'late', 'longestLateMs'];
  return (
    hasFields(value, { texts: ['policy', 'level'], numbers }) &&
    typeof value.isClosed === 'boolean' &&
    [value.nextTurnAt, value.lastTurnAt].every((at) => at === null || isNumber(at))
  );
}

function isHistoryPoint(value: unknown): value is HistoryPoint {
  return (
    hasFields(value, { numbers: ['at'] }) &&
    isListOf(value.levels, isLevelOutcomes) &&
    (value.decisionMs === undefined ||
      (isRecord(value.decisionMs) && Object.values(value.decisionMs).every(isNumber)))
  );
}

function isHealth(value: unknown): value is Health {
  return (
    hasFields(value, { texts: ['detail'] }) &&
    typeof value.ok === 'boolean' &&
    (value.findings === undefined || isListOf(value.findings, isFinding))
  );
}

function isFinding(value: unknown): value is NonNullable<Health['findings']>[number] {
  const isValue = (one: unknown) => typeof one === 'string' || isNumber(one);
  return (
    hasFields(value, { texts: ['code'] }) &&
    (value.values === undefined || (isRecord(value.values) && Object.values(value.values).every(isValue)))
  );
}

function isNode(value: unknown): value is OpsEvent['nodes'][number] {
  return (
    hasFields(value, { texts: ['node'], numbers: ['viewers'] }) &&
    isListOf(value.failing, (name) => typeof name === 'string')
  );
}

function isAlert(value: unknown): value is Alert {
  const numbers = ['raisedAt', 'value', 'threshold'];
  return (
    hasFields(value, { texts: ['id', 'rule', 'target'], numbers }) &&
    (value.clearedAt === undefined || isNumber(value.clearedAt))
  );
}
