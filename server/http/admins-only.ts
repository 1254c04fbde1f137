import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Sessions } from './session';

type Route = (req: IncomingMessage, res: ServerResponse) => void;

/** Answers whoever is no admin with 401 or 403; everybody else has the stream. */
export function forAdmins(stream: Route, { sessions }: { sessions: Pick<Sessions, 'read'> }): Route {
  return function adminRoute(req, res) {
    const user = sessions.read(req.headers.cookie);
    if (user?.role === 'admin') return stream(req, res);
    const status = user ? 403 : 401;
    const why = user ? 'This is for admins only.' : 'Sign in first.';
    res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(why);
  };
}
