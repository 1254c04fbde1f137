'use client';

import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react';
import type { ServerClock } from '../../_live/clock';
import { createOwnStream } from '../../_live/event-stream';
import { createFeed, type Feed, type FeedSnapshot } from '../../_live/feed';
import { useServerClock } from '../../_live/live-provider';
import { addRefusalMarks, type RefusalMarks } from '../../_live/refusal-marks';
import { useViewer } from '../../_viewer/viewer-provider';
import {
  addServedSamples,
  type HistoryPoint,
  mergeHistory,
  type OpsEvent,
  parseOpsEvent,
  type ServedSamples,
} from './ops-event';

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
  const [feed] = useState(() => createOpsFeed(clock));
  return (
    <OpsFeedContext value={feed}>
      <ReloadRefusedUser />
      {children}
    </OpsFeedContext>
  );
}

/** Reads the user again when the server refuses the stream: a page whose operator has signed out shows the sign-in. */
function ReloadRefusedUser() {
  const isRefused = useOpsFeed(({ status }) => status === 'refused');
  const { reloadUser } = useViewer();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per refusal
  useEffect(() => {
    if (isRefused) void reloadUser();
  }, [isRefused]);
  return null;
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
function createOpsFeed({ observe }: ServerClock): Feed<OpsSnapshot> {
  return createFeed({
    initial: notConnected,
    applyEvent(text, before) {
      const event = parseOpsEvent(text);
      if (!event) return undefined;
      // The instants of refusals during an interruption are unknown.
      const last = before.status === 'live' ? before.event : undefined;
      return {
        ...before,
        event,
        refused: addRefusalMarks(before.refused, { last, next: event }),
        history: mergeHistory(before.history, event),
        served: addServedSamples(before.served, event),
      };
    },
    onServerNow: observe,
    // Not shared with other tabs: only the first event of a stream has the history.
    createStream: (onMessage) =>
      createOwnStream({ url: () => '/api/ops/live', stateEvent: 'ops' }, onMessage),
  });
}
