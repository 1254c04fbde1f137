import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventHub } from './event-hub';
import { createLiveRoute } from './live-route';
import type { Sessions } from './session';

type Route = (req: IncomingMessage, res: ServerResponse) => void;

/** A stream of that hub for admins, as long as their session lasts; whoever is none is answered with 401 or 403. */
export function createAdminLiveRoute({
  hub,
  sessions,
}: {
  hub: EventHub;
  sessions: Pick<Sessions, 'read'>;
}): Route {
  const userOf = ({ headers }: IncomingMessage) => sessions.read(headers.cookie);
  const stream = createLiveRoute({ hub, mayStay: (req) => userOf(req)?.role === 'admin' });
  return function adminLiveRoute(req, res) {
    const user = userOf(req);
    if (user?.role === 'admin') return stream(req, res);
    const status = user ? 403 : 401;
    const why = user ? 'This is for admins only.' : 'Sign in first.';
    res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(why);
  };
}
