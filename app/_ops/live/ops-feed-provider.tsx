'use client';

import { createContext, type ReactNode, use, useState, useSyncExternalStore } from 'react';
import type { ServerClock } from '../../_live/clock';
import { createOwnStream } from '../../_live/event-stream';
import { createFeed, type Feed, type FeedSnapshot } from '../../_live/feed';
import { useServerClock } from '../../_live/live-provider';
import type { RefusalMarks } from '../../_live/live-snapshot';
import { addRefusalMarks } from '../../_live/refusal-marks';
import { type HistoryPoint, mergeHistory, type OpsEvent, parseOpsEvent } from './ops-event';
import { addServedSamples, type ServedSamples } from './served-samples';

interface OpsSnapshot extends FeedSnapshot {
  event: OpsEvent | undefined;
  /** The seconds of the last minutes with at least one decision, oldest first. */
  history: readonly HistoryPoint[];
  /** The refusals since the page opened. */
  refused: RefusalMarks;
  served: ServedSamples;
}

const notConnected: OpsSnapshot = {
  status: 'connecting',
  event: undefined,
  isUnknown: false,
  history: [],
  refused: {},
  served: {},
};
const OpsFeedContext = createContext<Feed<OpsSnapshot> | undefined>(undefined);

/** Shares one feed between all sections, so that navigation keeps the connection. */
export function OpsFeedProvider({ children }: { children: ReactNode }) {
  const clock = useServerClock();
  const [feed] = useState(() => openOpsFeed(clock));
  return <OpsFeedContext value={feed}>{children}</OpsFeedContext>;
}

/** Selects a part of the snapshot. The selected value must keep its identity while it does not change. */
export function useOpsFeed<Value>(select: (snapshot: OpsSnapshot) => Value): Value {
  const feed = use(OpsFeedContext);
  if (!feed) throw new Error('useOpsFeed needs the OpsFeedProvider of the ops layout.');
  return useSyncExternalStore(
    feed.subscribe,
    () => select(feed.snapshot()),
    () => select(notConnected),
  );
}

/** Returns the state of the feed. It is also stale while Redis is down, because its numbers are old then. */
export function useOpsStatus(): OpsSnapshot['status'] {
  return useOpsFeed(({ status, event }) => (event?.stale ? 'stale' : status));
}

/** Creates the feed of /api/ops/live. */
function openOpsFeed({ observe }: ServerClock): Feed<OpsSnapshot> {
  return createFeed({
    initial: notConnected,
    applyEvent(text, before) {
      const event = parseOpsEvent(text);
      if (!event) return undefined;
      // The instants of refusals during an interruption are unknown.
      const last = before.status === 'live' ? before.event : undefined;
      const refused = addRefusalMarks(before.refused, { last, next: event });
      const history = mergeHistory(before.history, event);
      const served = addServedSamples(before.served, event);
      const snapshot = { ...before, status: 'live' as const, event, history, refused, served };
      return { snapshot, serverNow: event.serverNow };
    },
    // Heartbeats suffice: the windows of many subjects do not predict the next event.
    nextChangeMs: () => Number.POSITIVE_INFINITY,
    onServerNow: observe,
    // Not shared with other tabs: only the first event of a stream has the history.
    createStream: (handlers) => createOwnStream({ url: '/api/ops/live', stateEvent: 'ops' }, handlers),
  });
}
