'use client';

import { createContext, type ReactNode, use, useState, useSyncExternalStore } from 'react';
import { createOwnStream } from '../../_live/event-stream';
import { useServerClock } from '../../_live/live-provider';
import { createOpsFeed } from './ops-feed';
import { notConnected, type OpsFeed, type OpsSnapshot } from './ops-snapshot';

const address = { url: '/api/ops/live', stateEvent: 'ops' };

const OpsFeedContext = createContext<OpsFeed | undefined>(undefined);

/** One feed for all sections: going from one to the other does not connect again. */
export function OpsFeedProvider({ children }: { children: ReactNode }) {
  const { observe } = useServerClock();
  const [feed] = useState(() =>
    createOpsFeed({
      onServerNow: observe,
      // Not shared with other tabs: only the first event of a stream tells of the minutes before.
      createStream: (handlers) => createOwnStream(address, handlers),
    }),
  );
  return <OpsFeedContext value={feed}>{children}</OpsFeedContext>;
}

/** What the feed says of something. What `select` returns must be equal to itself while nothing of it has changed. */
export function useOpsFeed<Value>(select: (snapshot: OpsSnapshot) => Value): Value {
  const feed = use(OpsFeedContext);
  if (!feed) throw new Error('What operators see live needs the OpsFeedProvider of their layout.');
  return useSyncExternalStore(
    feed.subscribe,
    () => select(feed.snapshot()),
    () => select(notConnected),
  );
}
