import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventHub } from './event-hub';

export interface LiveRouteOptions {
  hub: EventHub;
  /** Whether who sent the request may go on looking. Default: it may. */
  mayStay?: (req: IncomingMessage) => boolean | Promise<boolean>;
}

/** Answers `GET` with a stream of Server-Sent Events that the hub fills. */
export function createLiveRoute({
  hub,
  mayStay = () => true,
}: LiveRouteOptions): (req: IncomingMessage, res: ServerResponse) => void {
  return function liveRoute(req, res) {
    if (req.method !== 'GET') {
      res.writeHead(405, { allow: 'GET' }).end();
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
