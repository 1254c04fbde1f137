import { createLiveFeed } from './live-feed';
import type { LiveFeed } from './live-snapshot';
import type { ServerClock } from './server-clock';
import { createStream } from './shared-stream';

const address = { url: '/api/live', stateEvent: 'windows' };

/** The feed that a page listens to, with all that it needs. */
export function openFeed({ observe }: ServerClock): LiveFeed {
  return createLiveFeed({
    onServerNow: observe,
    createStream: (handlers) => createStream(address, handlers),
  });
}
