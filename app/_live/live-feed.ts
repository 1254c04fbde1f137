import { createFeed, type FeedOptions } from './feed';
import { type LiveEvent, parseLiveEvent } from './live-event';
import { type LiveFeed, type LiveSnapshot, notConnected } from './live-snapshot';
import { marksAfter } from './refused-marks';

/** Listens to /api/live for all of a page's meters. */
export function createLiveFeed(
  options: Pick<FeedOptions<LiveSnapshot>, 'onServerNow' | 'createStream'>,
): LiveFeed {
  return createFeed({
    ...options,
    initial: notConnected,
    read(text, before) {
      const event = parseLiveEvent(text);
      if (!event) return undefined;
      // What was refused while nobody listened was refused at nobody knows when.
      const last = before.status === 'live' ? before.event : undefined;
      const refused = marksAfter(before.refused, { last, next: event });
      return { snapshot: { status: 'live', event, refused }, serverNow: event.serverNow };
    },
    nextChangeMs: ({ event }) => (event ? firstLeaveMs(event) : Number.POSITIVE_INFINITY),
  });
}

/** Time until the first hit leaves its window, which is an event by itself. */
function firstLeaveMs({ serverNow, windows }: LiveEvent): number {
  const leaving = windows.flatMap(({ hits, windowMs }) => hits.map((hit) => hit + windowMs - serverNow));
  return Math.max(0, Math.min(...leaving));
}
