import { createFeed, type FeedOptions } from '../../_live/feed';
import { marksAfter } from '../../_live/refused-marks';
import { mergeHistory } from './history';
import { parseOpsEvent } from './ops-event';
import { notConnected, type OpsFeed, type OpsSnapshot } from './ops-snapshot';

/** Listens to /api/ops/live for the whole page. */
export function createOpsFeed(
  options: Pick<FeedOptions<OpsSnapshot>, 'onServerNow' | 'createStream'>,
): OpsFeed {
  return createFeed({
    ...options,
    initial: notConnected,
    read(text, before) {
      const event = parseOpsEvent(text);
      if (!event) return undefined;
      // What was refused while nobody listened was refused at nobody knows when.
      const last = before.status === 'live' ? before.event : undefined;
      const refused = marksAfter(before.refused, { last, next: event });
      const history = mergeHistory(before.history, event);
      return { snapshot: { status: 'live', event, history, refused }, serverNow: event.serverNow };
    },
    // A sign of life comes in any case, and the windows of many subjects say little of when the next event is due.
    nextChangeMs: () => Number.POSITIVE_INFINITY,
  });
}
