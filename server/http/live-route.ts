import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventHub } from '../live/event-hub';
import type { StreamCap } from './stream-cap';

export interface LiveRouteOptions {
  hub: EventHub;
  /** Whether who sent the request may go on looking. Default: it may. */
  mayStay?: (req: IncomingMessage) => boolean | Promise<boolean>;
  /** Bounds the streams of one address. Default: there is no bound. */
  cap?: StreamCap;
  /** Called when the cap refuses a stream. */
  onRefused?: (retryAfterMs: number) => void;
}

/** When an address whose streams are all taken tries again: a place is free when another stream ends. */
const RETRY_AFTER_MS = 10_000;

/** Answers `GET` with a stream of Server-Sent Events that the hub fills, or with 429 above the cap. */
export function createLiveRoute({
  hub,
  mayStay = () => true,
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
      // Neither a proxy that compresses nor one that buffers (nginx) may hold events back.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    // A connection that breaks while an event is being written is a viewer that left, no error of ours.
    res.on('error', () => res.destroy());
    hub.add(res, { mayStay: () => mayStay(req) });
  };
}
