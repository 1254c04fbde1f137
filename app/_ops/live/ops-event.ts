import type { OpsState } from '../../../server/router';
import { parseEvent } from '../../_live/feed';
import { levelKey } from '../../_live/level-key';

type StateWindow = OpsState['windows'][number];

/** The window of a level. Of a level by subject: the window of its top subject. A newer server may have other algorithms. */
export interface OpsWindow extends Omit<StateWindow, 'algorithm' | 'mode' | 'remaining'> {
  algorithm: string;
  mode: string;
  /** The instant of the reading on Redis's clock. `retryAfterMs` counts from it. */
  readAt?: number;
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

const level = { policy: '', level: '' };
const outcomes = { ...level, admitted: 0, refused: 0, banned: 0, degraded: 0 };
const alert = {
  ...{ id: '', rule: '', target: '', raisedAt: 0, highSince: 0, value: 0, threshold: 0 },
  ...{ values: [0], spanMs: 0 },
};
const exampleEvent: OpsEvent = {
  ...{ serverNow: 0, stale: false, bans: 0, viewers: 0, latency: null },
  windows: [
    {
      ...{ ...level, algorithm: '', mode: '', limit: 0, windowMs: 0 },
      ...{ used: 0, hits: [0], retryAfterMs: 0 },
    },
  ],
  rates: [outcomes],
  queues: [
    {
      ...{ ...level, waiting: 0, nextTurnAt: null, lastTurnAt: null, version: 0 },
      ...{ unfinished: 0, isClosed: false, served: 0, late: 0, longestLateMs: 0 },
    },
  ],
  leased: [{ ...level, idle: 0 }],
  history: [{ at: 0, levels: [outcomes] }],
  health: {},
  nodes: [{ node: '', viewers: 0, failing: [''] }],
  alerts: { active: [alert], recent: [alert] },
};

/** Parses an event. Returns `undefined` for an invalid one, which counts as silence. */
export function parseOpsEvent(text: string): OpsEvent | undefined {
  const event = parseEvent(text, exampleEvent);
  if (!event) return undefined;
  return { ...event, windows: event.windows.map((window) => ({ ...window, readAt: event.serverNow })) };
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

/** The total of served tickets at an instant of the server's clock. */
interface ServedSample {
  at: number;
  served: number;
}

/** The latest totals of each queue, oldest first, by the key of its level. */
export type ServedSamples = Readonly<Record<string, readonly ServedSample[]>>;

/** Time range of the rate. */
const RANGE_MS = 10_000;

/** Adds the totals of an event. A total that fell is that of an emptied Redis, and starts anew. */
export function addServedSamples(
  before: ServedSamples,
  { queues, serverNow }: { queues: readonly OpsQueue[]; serverNow: number },
): ServedSamples {
  const entries = queues.map((queue) => {
    const known = before[levelKey(queue)] ?? [];
    const isReset = (known.at(-1)?.served ?? 0) > queue.served;
    const kept = isReset ? [] : known.filter(({ at }) => at > serverNow - RANGE_MS);
    return [levelKey(queue), [...kept, { at: serverNow, served: queue.served }]] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the tickets served a second; 0 with fewer than two samples. */
export function servedPerSecond(samples: readonly ServedSample[] = []): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at <= first.at) return 0;
  return ((last.served - first.served) * 1_000) / (last.at - first.at);
}
