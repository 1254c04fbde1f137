import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddress } from '../limiter';
import type { EventHub } from '../live/event-hub';
import type { CheckSession, User } from '../trpc/context';
import type { Sessions } from './session';

type Route = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Retry time for an address at its cap. A slot becomes free when one of its streams ends. */
const RETRY_AFTER_MS = 10_000;

/** Answers `GET` with a stream of Server-Sent Events from the hub, or with 429 above the cap. */
export function createLiveRoute({
  hub,
  isAllowed = () => true,
  cap,
  onRefused,
}: {
  hub: EventHub;
  /** Returns true while the client may keep its stream. Default: always. */
  isAllowed?: (req: IncomingMessage) => boolean | Promise<boolean>;
  /** Limits the streams of one address. Default: no limit. */
  cap?: StreamCap;
  /** Called when the cap refuses a stream. */
  onRefused?: (retryAfterMs: number) => void;
}): (req: IncomingMessage, res: ServerResponse) => void {
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

/** Limits the number of open streams per address on this node. */
interface StreamCap {
  /** Takes a slot until the answer closes. Returns false if the address has no free slot. */
  admit(req: IncomingMessage, res: ServerResponse): boolean;
}

/** Counts open streams per client address in the memory of this node. At most `maxPerAddress` are open at once. */
export function createStreamCap({
  clientAddress,
  maxPerAddress,
}: {
  clientAddress: ClientAddress;
  maxPerAddress: number;
}): StreamCap {
  const open = new Map<string, number>();

  function release(address: string): void {
    const count = (open.get(address) ?? 0) - 1;
    if (count > 0) open.set(address, count);
    else open.delete(address);
  }

  return {
    admit(req, res) {
      const address = clientAddress(req);
      const count = open.get(address) ?? 0;
      if (count >= maxPerAddress) return false;
      open.set(address, count + 1);
      res.once('close', () => release(address));
      return true;
    },
  };
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
