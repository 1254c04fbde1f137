import { createLiveFeed } from './live-feed';
import type { LiveFeed } from './live-snapshot';
import type { ServerClock } from './server-clock';
import { createStream } from './shared-stream';

/** The feed that a page listens to, with all that it needs. */
export function openFeed({ observe }: ServerClock): LiveFeed {
  return createLiveFeed({ onServerNow: observe, createStream });
}
