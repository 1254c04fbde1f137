import type { ServerClock } from './clock';
import { createStream } from './event-stream';
import { createFeed, type FeedOptions } from './feed';
import { type LiveEvent, parseLiveEvent } from './live-event';
import { type LiveFeed, type LiveSnapshot, notConnected } from './live-snapshot';
import { addRefusalMarks } from './refusal-marks';

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
      const event = parseLiveEvent(text);
      if (!event) return undefined;
      // The instants of refusals during an interruption are unknown.
      const last = before.status === 'live' ? before.event : undefined;
      const refused = addRefusalMarks(before.refused, { last, next: event });
      return { snapshot: { status: 'live', event, refused }, serverNow: event.serverNow };
    },
    nextChangeMs: ({ event }) => (event ? firstLeaveMs(event) : Number.POSITIVE_INFINITY),
  });
}

/** Returns the time until the first hit leaves its window, which makes the server send an event. */
function firstLeaveMs({ serverNow, windows }: LiveEvent): number {
  const leaving = windows.flatMap(({ hits, windowMs }) => hits.map((hit) => hit + windowMs - serverNow));
  return Math.max(0, Math.min(...leaving));
}
