import type { LiveEvent as SentEvent } from '../../server/router';
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
export type LiveLevel = NonNullable<SentEvent['levels']>[number];

/** The queue behind a shared window. */
export type LiveQueue = SentEvent['queues'][number];

/** One `windows` event of /api/live: the fields that a page reads. */
export interface LiveEvent
  extends Pick<SentEvent, 'serverNow' | 'stock' | 'queues'>,
    // An older node, during an update, sends none.
    Partial<Pick<SentEvent, 'bans' | 'couponsVersion' | 'sequence'>> {
  windows: LiveWindow[];
  /** Those of the last event if the server sends none. */
  levels: readonly LiveLevel[];
  /** The refusal totals of each level. */
  rates: Pick<SentEvent['rates'][number], 'policy' | 'level' | 'refused' | 'banned'>[];
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
  /** The stock of coupons as events have sent it since `completeSince`. */
  stock: ReadonlyMap<string, number>;
  /** The instant of the first event since which none was lost; `undefined` before the first event. */
  completeSince: number | undefined;
  /** The refusals since the page opened. */
  refused: RefusalMarks;
}

export const notConnected: LiveSnapshot = {
  status: 'connecting',
  event: undefined,
  isUnknown: false,
  stock: new Map(),
  completeSince: undefined,
  refused: {},
};

/** The feed of a tab. */
export interface LiveFeed extends Feed<LiveSnapshot> {
  /** Sets the coupons whose stock the first event of the next connection has; at most 50 are sent. */
  watchCoupons(ids: readonly string[]): void;
}

const MAX_WATCHED = 50;

/** Creates the feed of a tab: one stream of /api/live for all tabs of the browser. */
export function createLiveFeed(
  { observe }: Pick<ServerClock, 'observe'>,
  createStream?: FeedOptions<LiveSnapshot>['createStream'],
): LiveFeed {
  let watched: readonly string[] = [];
  const query = () => (watched.length > 0 ? `?coupons=${watched.map(encodeURIComponent).join()}` : '');
  const address = {
    name: 'live',
    url: () => `/api/live${query()}`,
    stateEvent: 'windows',
    isComplete: hasLevels,
  };
  const feed = createFeed({
    initial: notConnected,
    applyEvent,
    nextChangeMs: ({ event }) => (event ? firstLeaveMs(event) : Number.POSITIVE_INFINITY),
    onServerNow: observe,
    createStream: createStream ?? ((onMessage) => createSharedStream(address, onMessage)),
  });
  return {
    ...feed,
    watchCoupons(ids) {
      watched = ids.slice(0, MAX_WATCHED);
    },
  };
}

function applyEvent(text: string, before: LiveSnapshot): LiveSnapshot | undefined {
  const parsed = parseEvent(text, exampleEvent, { levels: before.event?.levels ?? [] });
  if (!parsed) return undefined;
  const windows = parsed.windows.map((window) => ({ ...window, readAt: parsed.serverNow }));
  const event = keepEqualLevels({ ...parsed, windows }, before.event);
  const isNext = follows(event, before.event);
  // The instants of refusals during an interruption are unknown.
  const last = isNext && before.status === 'live' ? before.event : undefined;
  return {
    ...before,
    ...{ event, ...(isNext ? mergeStock(event, before) : startStock(event)) },
    refused: addRefusalMarks(before.refused, { last, next: event }),
  };
}

/** Returns true for the data of an event with levels, which the server sends in the first one and after a change. */
function hasLevels(data: string): boolean {
  return data.includes('"levels":');
}

type KnownStock = Pick<LiveSnapshot, 'stock' | 'completeSince'>;

/**
 * Returns true if no event was lost between the two. A joining tab may get the last event twice. An older node sends no
 * numbers.
 */
function follows({ sequence }: LiveEvent, last: LiveEvent | undefined): boolean {
  return last !== undefined && (sequence === last.sequence || sequence === (last.sequence ?? 0) + 1);
}

function startStock({ stock, serverNow }: LiveEvent): KnownStock {
  return { stock: new Map(stock.map(toEntry)), completeSince: serverNow };
}

/** Merges the stock of an event. Unchanged stock keeps its identity. */
function mergeStock({ stock: sent }: LiveEvent, { stock, completeSince }: KnownStock): KnownStock {
  const isChanged = sent.some(({ couponId, remaining }) => stock.get(couponId) !== remaining);
  return { stock: isChanged ? new Map([...stock, ...sent.map(toEntry)]) : stock, completeSince };
}

function toEntry({ couponId, remaining }: LiveEvent['stock'][number]): [string, number] {
  return [couponId, remaining];
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
