import type { IncomingMessage } from 'node:http';
import { isRequestEnded } from '../limiter/index';
import type { EventHub } from '../live/event-hub';
import type { LoggedRefusal } from '../observability/log';
import { TOO_MANY_STREAMS } from '../policies';
import type { CheckSession, User } from '../trpc/context';
import type { Route } from './routes';
import type { Sessions } from './session';
import type { StreamLimit } from './stream-limit';

/** Maximum number of coupons in the first event: a page and those that its shopper holds. */
const MAX_COUPONS = 50;

/** Answers `GET` with a stream of Server-Sent Events from the hub, or with 429 above the limit. */
export function createLiveRoute({
  hub,
  isAllowed = () => true,
  limit,
  onRefused,
}: {
  hub: EventHub;
  /** Returns true while the client may keep its stream. Default: always. */
  isAllowed?: (req: IncomingMessage) => boolean | Promise<boolean>;
  /** Limits the streams of one address. Default: no limit. */
  limit?: StreamLimit;
  /** Called when the limit refuses a stream. */
  onRefused?: (refused: Pick<LoggedRefusal, 'reason' | 'retryAfterMs'>) => void;
}): Route {
  return async function liveRoute(req, res) {
    if (req.method !== 'GET') {
      res.writeHead(405, { allow: 'GET' }).end();
      return;
    }
    const couponIds = parseCoupons(req.url);
    if (couponIds.length > MAX_COUPONS) {
      res.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' });
      res.end(`coupons: has ${couponIds.length} ids. Name at most ${MAX_COUPONS}.`);
      return;
    }
    const retryAfterMs = await limit?.admit(req, res);
    if (retryAfterMs !== undefined) {
      onRefused?.({ reason: retryAfterMs === null ? 'blocked' : 'limited', retryAfterMs });
      res.writeHead(429, {
        'content-type': 'text/plain; charset=utf-8',
        ...(retryAfterMs !== null && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
      });
      res.end(TOO_MANY_STREAMS.en);
      return;
    }
    if (isRequestEnded(req, res)) return;
    res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      // Prevents proxies from compressing or buffering (nginx) events.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    // A connection that breaks during a write means that the viewer has left. It is not an error.
    res.on('error', () => res.destroy());
    hub.add(res, { isAllowed: () => isAllowed(req), couponIds });
  };
}

/** Returns the ids in `?coupons=<id>,<id>`. */
function parseCoupons(url = ''): string[] {
  const text = new URLSearchParams(url.split('?')[1]).get('coupons') ?? '';
  return [...new Set(text.split(',').filter((id) => id !== ''))];
}

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
  const stream = createLiveRoute({ hub, isAllowed: async (req) => (await readUser(req))?.role === 'admin' });

  return async function adminLiveRoute(req, res) {
    const user = await readUser(req);
    if (user?.role === 'admin') return stream(req, res);
    const status = user ? 403 : 401;
    const text = user ? 'This is for admins only.' : 'Sign in first.';
    res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  };
}
