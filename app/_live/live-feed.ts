import type { LiveState } from '../../server/router';
import type { WindowState } from '../_trpc/types';
import type { ServerClock } from './clock';
import { createSharedStream } from './event-stream';
import { createFeed, type Feed, type FeedOptions, type FeedSnapshot, parseEvent } from './feed';
import { addRefusalMarks, type RefusalMarks } from './refusal-marks';

/** A window as the feed sends it: the fields that a meter needs. */
export type LiveWindow = Pick<WindowState, 'policy' | 'level' | 'limit' | 'windowMs' | 'used' | 'hits'> &
  // Only the visitor's own windows carry a ban. A window read from headers has neither algorithm nor wait.
  Partial<Pick<WindowState, 'bannedUntil' | 'retryAfterMs'>> & {
    algorithm?: string;
    mode?: string;
    /** The instant of the reading on Redis's clock. `retryAfterMs` counts from it. */
    readAt?: number;
  };

/** The effective limit of a level that counts one visitor. A newer server may have other algorithms. */
export type LiveLevel = LiveState['levels'][number];

/** The queue behind a shared window. */
export type LiveQueue = LiveState['queues'][number];

/** One `windows` event of /api/live: the fields that a page reads. */
export interface LiveEvent
  extends Pick<LiveState, 'serverNow' | 'stock' | 'levels' | 'queues'>,
    // An older node, during an update, sends none.
    Partial<Pick<LiveState, 'bans' | 'couponsVersion'>> {
  windows: LiveWindow[];
  /** The refusal totals of each level. */
  rates: Pick<LiveState['rates'][number], 'policy' | 'level' | 'refused' | 'banned'>[];
}

const level = { policy: '', level: '' };
const limits = { limit: 0, windowMs: 0 };
const exampleEvent: LiveEvent = {
  serverNow: 0,
  windows: [{ ...level, ...limits, used: 0, hits: [0] }],
  rates: [{ ...level, refused: 0, banned: 0 }],
  stock: [{ couponId: '', remaining: 0 }],
  levels: [{ ...level, ...limits, algorithm: '', mode: '' }],
  queues: [{ ...level, waiting: 0, nextTurnAt: null, lastTurnAt: null, version: 0 }],
};

export interface LiveSnapshot extends FeedSnapshot {
  event: LiveEvent | undefined;
  /** The refusals since the page opened. */
  refused: RefusalMarks;
}

export const notConnected: LiveSnapshot = {
  status: 'connecting',
  event: undefined,
  isUnknown: false,
  refused: {},
};

/** Creates the feed of a tab: one stream of /api/live for all tabs of the browser. */
export function createLiveFeed(
  { observe }: Pick<ServerClock, 'observe'>,
  createStream: FeedOptions<LiveSnapshot>['createStream'] = (onMessage) =>
    createSharedStream({ url: '/api/live', stateEvent: 'windows' }, onMessage),
): Feed<LiveSnapshot> {
  return createFeed({
    initial: notConnected,
    applyEvent,
    nextChangeMs: ({ event }) => (event ? firstLeaveMs(event) : Number.POSITIVE_INFINITY),
    onServerNow: observe,
    createStream,
  });
}

function applyEvent(text: string, before: LiveSnapshot): LiveSnapshot | undefined {
  const parsed = parseEvent(text, exampleEvent);
  if (!parsed) return undefined;
  const windows = parsed.windows.map((window) => ({ ...window, readAt: parsed.serverNow }));
  const event = keepEqualLevels({ ...parsed, windows }, before.event);
  // The instants of refusals during an interruption are unknown.
  const last = before.status === 'live' ? before.event : undefined;
  return { ...before, event, refused: addRefusalMarks(before.refused, { last, next: event }) };
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
