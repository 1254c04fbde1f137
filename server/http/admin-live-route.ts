import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventHub } from '../live/event-hub';
import type { CheckSession, User } from '../trpc/context';
import { createLiveRoute } from './live-route';
import type { Sessions } from './session';

type Route = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * Streams the events of a hub to admins until their session ends or is revoked. Answers 401 or 403 to other callers.
 * While Postgres is down, a session that cannot be checked is accepted, because the stream is read-only.
 */
export function createAdminLiveRoute({
  hub,
  sessions,
  checkSession,
}: {
  hub: EventHub;
  sessions: Pick<Sessions, 'read'>;
  checkSession: CheckSession;
}): Route {
  async function readUser({ headers }: IncomingMessage): Promise<User | null> {
    const session = sessions.read(headers.cookie);
    return session && (await checkSession(session)) !== 'revoked' ? session.user : null;
  }
  const stream = createLiveRoute({ hub, mayStay: async (req) => (await readUser(req))?.role === 'admin' });

  return async function adminLiveRoute(req, res) {
    const user = await readUser(req);
    if (user?.role === 'admin') return stream(req, res);
    const status = user ? 403 : 401;
    const text = user ? 'This is for admins only.' : 'Sign in first.';
    res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  };
}
