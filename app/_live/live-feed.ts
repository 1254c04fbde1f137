import type { LiveState } from '../../server/router';
import type { WindowState } from '../_trpc/types';
import type { ServerClock } from './clock';
import { createStream } from './event-stream';
import { createFeed, type FeedOptions } from './feed';
import { type LiveFeed, type LiveSnapshot, notConnected } from './live-snapshot';
import { hasFields, isListOf, isNumber, isRecord, parseJson } from './parse-json';
import { addRefusalMarks } from './refusal-marks';

/** A window as the feed sends it: the fields that a meter needs. */
export type LiveWindow = Pick<WindowState, 'policy' | 'level' | 'limit' | 'windowMs' | 'used' | 'hits'> &
  // Only the visitor's own windows carry a ban. A window read from headers has neither algorithm nor wait.
  Partial<Pick<WindowState, 'bannedUntil' | 'retryAfterMs'>> & {
    algorithm?: string;
    mode?: string;
    /** The instant of the reading on Redis's clock. `retryAfterMs` counts from it. */
    readAt?: number;
  };

/** The refusal totals of a level. */
type LiveRate = Pick<LiveState['rates'][number], 'policy' | 'level' | 'refused' | 'banned'>;

/** The effective limit of a level that counts one visitor. A newer server may have other algorithms. */
export type LiveLevel = LiveState['levels'][number];

/** The queue behind a shared window. */
export type LiveQueue = LiveState['queues'][number];

/** One `windows` event of /api/live: the fields that a page reads. */
export interface LiveEvent extends Pick<LiveState, 'serverNow' | 'stock'> {
  windows: LiveWindow[];
  rates: LiveRate[];
  levels: LiveLevel[];
  queues: LiveQueue[];
}

const address = { url: '/api/live', stateEvent: 'windows' };

/** Creates the feed of a page: one stream of /api/live for all tabs. */
export function openLiveFeed({ observe }: ServerClock): LiveFeed {
  return createLiveFeed({
    onServerNow: observe,
    createStream: (handlers) => createStream(address, handlers),
  });
}

/** Creates a feed of `windows` events. */
export function createLiveFeed(
  options: Pick<FeedOptions<LiveSnapshot>, 'onServerNow' | 'createStream'>,
): LiveFeed {
  return createFeed({
    ...options,
    initial: notConnected,
    applyEvent(text, before) {
      const parsed = parseLiveEvent(text);
      if (!parsed) return undefined;
      const event = keepEqualLevels(parsed, before.event);
      // The instants of refusals during an interruption are unknown.
      const last = before.status === 'live' ? before.event : undefined;
      const refused = addRefusalMarks(before.refused, { last, next: event });
      return { snapshot: { ...before, status: 'live', event, refused }, serverNow: event.serverNow };
    },
    nextChangeMs: ({ event }) => (event ? firstLeaveMs(event) : Number.POSITIVE_INFINITY),
  });
}

/** Returns an event with the list of the last one if both are equal, so that its readers do not render. */
function keepEqualLevels(event: LiveEvent, last: LiveEvent | undefined): LiveEvent {
  const isEqual = last !== undefined && JSON.stringify(last.levels) === JSON.stringify(event.levels);
  return isEqual ? { ...event, levels: last.levels } : event;
}

/** Returns the time until the first hit leaves its window, which makes the server send an event. */
function firstLeaveMs({ serverNow, windows }: LiveEvent): number {
  const leaving = windows.flatMap(({ hits, windowMs }) => hits.map((hit) => hit + windowMs - serverNow));
  return Math.max(0, Math.min(...leaving));
}

/** Parses an event. Returns `undefined` for an invalid one, which counts as silence. */
export function parseLiveEvent(text: string): LiveEvent | undefined {
  const data = parseJson(text);
  if (!isRecord(data)) return undefined;
  // An older node, during an update, sends no levels and no queues.
  const { serverNow, windows, rates, stock, levels = [], queues = [] } = data;
  if (!isNumber(serverNow) || !isListOf(windows, isWindow)) return undefined;
  if (!isListOf(rates, isRate) || !isListOf(stock, isStock) || !isListOf(levels, isLevel)) return undefined;
  if (!isListOf(queues, isQueue)) return undefined;
  return {
    ...{ serverNow, rates, stock, levels, queues },
    windows: windows.map((window) => ({ ...window, readAt: serverNow })),
  };
}

function isWindow(value: unknown): value is LiveWindow {
  const texts = ['policy', 'level'];
  const numbers = ['limit', 'windowMs', 'used'];
  return hasFields(value, { texts, numbers }) && isListOf(value.hits, isNumber);
}

function isRate(value: unknown): value is LiveRate {
  return hasFields(value, { texts: ['policy', 'level'], numbers: ['refused', 'banned'] });
}

function isLevel(value: unknown): value is LiveLevel {
  return hasFields(value, {
    texts: ['policy', 'level', 'algorithm', 'mode'],
    numbers: ['limit', 'windowMs'],
  });
}

function isQueue(value: unknown): value is LiveQueue {
  return hasFields(value, { texts: ['policy', 'level'], numbers: ['waiting', 'version'] });
}

function isStock(value: unknown): value is LiveEvent['stock'][number] {
  return hasFields(value, { texts: ['couponId'], numbers: ['remaining'] });
}
