import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventHub } from '../live/event-hub';
import type { StreamCap } from './stream-cap';

export interface LiveRouteOptions {
  hub: EventHub;
  /** Returns true while the client may keep its stream. Default: always. */
  isAllowed?: (req: IncomingMessage) => boolean | Promise<boolean>;
  /** Limits the streams of one address. Default: no limit. */
  cap?: StreamCap;
  /** Called when the cap refuses a stream. */
  onRefused?: (retryAfterMs: number) => void;
}

/** Retry time for an address at its cap. A slot becomes free when one of its streams ends. */
const RETRY_AFTER_MS = 10_000;

/** Answers `GET` with a stream of Server-Sent Events from the hub, or with 429 above the cap. */
export function createLiveRoute({
  hub,
  isAllowed = () => true,
  cap,
  onRefused,
}: LiveRouteOptions): (req: IncomingMessage, res: ServerResponse) => void {
  return function liveRoute(req, res) {
    if (req.method !== 'GET') {
      res.writeHead(405, { allow: 'GET' }).end();
      return;
    }
    if (cap && !cap.admit(req, res)) {
      onRefused?.(RETRY_AFTER_MS);
      res.writeHead(429, {
        'content-type': 'text/plain; charset=utf-8',
        'retry-after': String(RETRY_AFTER_MS / 1000),
      });
      res.end('Too many live streams are open from your address.');
      return;
    }
    res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      // Prevents proxies from compressing or buffering (nginx) events.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    // A connection that breaks during a write means that the viewer has left. It is not an error.
    res.on('error', () => res.destroy());
    hub.add(res, { isAllowed: () => isAllowed(req) });
  };
}
