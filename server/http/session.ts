import { parseCookie, stringifyCookie } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Session, User } from '../trpc/user';
import { prefixCookieName, serializeCookie } from './response-cookies';

export interface SessionOptions {
  /** The first signs, all verify: a new one is put in front, and the old one removed 30 days later. */
  secrets: readonly string[];
  /** Whether the cookie is sent over https only, and named for it. */
  secure: boolean;
  /** Epoch ms. Default: this node's clock. */
  now?: () => number;
}

/** Sessions without a store: the signed cookie says who the caller is. */
export interface Sessions {
  /**
   * The session of a `Cookie` header; null where there is none, or it is forged, oversized or too old. Whether an
   * admin's session was revoked is in Postgres: see `CheckSession`.
   */
  read(cookieHeader: string | undefined): Session | null;
  /** The `Set-Cookie` texts that begin a session, or that end it for null. */
  serialize(session: Session | null): string[];
  /** A whole `Cookie` header for a user, for calls that the server makes as someone (the demo's crowd). Default: version 0. */
  createCookieHeader(user: User, version?: number): string;
}

const COOKIE = 'floodgate_session';
const DAY_SECONDS = 24 * 60 * 60;
const MAX_AGE_SECONDS = { shopper: 30 * DAY_SECONDS, admin: DAY_SECONDS / 2 } as const satisfies Record<
  User['role'],
  number
>;

/** Browsers keep no cookie above 4096 bytes, so a longer one is not ours; it is not worth an HMAC. */
const MAX_LENGTH = 4096;

const payloadSchema = z.object({
  user: z.object({
    id: z.string().min(1),
    name: z.string(),
    email: z.string().optional(),
    role: z.enum(['shopper', 'admin']),
  }),
  /** Absent in a cookie of 0.1.0. */
  version: z.int().min(0).optional(),
  /** Epoch ms. Inside the signature, because a browser's Max-Age binds only the browser. */
  expiresAt: z.int(),
});

type Payload = z.infer<typeof payloadSchema>;

interface DatedSession {
  session: Session;
  expiresAt: number;
}

/** At most 16 KiB each, which is what the server takes of headers, and in truth a tenth of a kilobyte or two. */
const MAX_CACHED = 1_000;

/** Makes the sessions of the product (HMAC-SHA256, a few microseconds each). Throws without a secret. */
export function createSessions({ secrets, secure, now = Date.now }: SessionOptions): Sessions {
  const [signing] = secrets;
  if (signing === undefined) throw new TypeError('Sessions need at least one secret.');

  const name = prefixCookieName(COOKIE, { secure });

  const serializeSession = ({ user, version }: Session) => {
    const expiresAt = now() + MAX_AGE_SECONDS[user.role] * 1000;
    const payload = JSON.stringify({ user, version, expiresAt } satisfies Payload);
    return sign(Buffer.from(payload).toString('base64url'), signing);
  };

  function verifyCookie(cookie: string): string | undefined {
    if (cookie.length > MAX_LENGTH) return undefined;
    for (const secret of secrets) {
      const value = unsign(cookie, secret);
      if (value !== false) return Buffer.from(value, 'base64url').toString();
    }
    return undefined;
  }

  /** What was verified once need not be again: the text of a cookie is all that decides, besides the time. */
  const verifiedSessions = new LRUCache<string, DatedSession>({ max: MAX_CACHED });

  function readPayload(cookie: string | undefined): Payload | undefined {
    const text = cookie === undefined ? undefined : verifyCookie(cookie);
    return text === undefined ? undefined : payloadSchema.safeParse(parseJson(text)).data;
  }

  function readSession(cookieHeader: string): DatedSession | undefined {
    const remembered = verifiedSessions.get(cookieHeader);
    if (remembered) return remembered;
    const cookies = parseCookie(cookieHeader);
    const payload = readPayload(cookies[name]) ?? (secure ? readOldPayload(cookies[COOKIE]) : undefined);
    if (!payload) return undefined;
    const { user, version = 0 } = payload;
    const found = { session: { user, version }, expiresAt: expiryOf(payload) };
    verifiedSessions.set(cookieHeader, found);
    return found;
  }

  /**
   * The payload of a cookie that 0.1.0 set over https. Only those are accepted without the prefix: such a cookie could
   * come from another subdomain.
   */
  function readOldPayload(cookie: string | undefined): Payload | undefined {
    const payload = readPayload(cookie);
    return payload?.version === undefined ? payload : undefined;
  }

  return {
    read(cookieHeader) {
      const found = cookieHeader === undefined ? undefined : readSession(cookieHeader);
      return found && found.expiresAt > now() ? found.session : null;
    },
    serialize(session) {
      const value = session ? serializeSession(session) : '';
      const maxAge = session ? MAX_AGE_SECONDS[session.user.role] : 0;
      const own = serializeCookie({ name, value, maxAge, secure });
      // A cookie of 0.1.0 would sign its user in again where this one ends.
      return secure ? [own, serializeCookie({ name: COOKIE, value: '', maxAge: 0, secure })] : [own];
    },
    createCookieHeader: (user, version = 0) =>
      stringifyCookie({ [name]: serializeSession({ user, version }) }),
  };
}

/** When a session ends. 0.1.0 gave admins 30 days, too; of those cookies 12 hours count. */
function expiryOf({ user, version, expiresAt }: Payload): number {
  if (version !== undefined || user.role !== 'admin') return expiresAt;
  return expiresAt - (MAX_AGE_SECONDS.shopper - MAX_AGE_SECONDS.admin) * 1000;
}

/** What was signed with our secret but is no JSON was signed for something else: no payload. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
