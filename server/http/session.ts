import { parseCookie, stringifyCookie } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Session, User } from '../trpc/context';
import { parseJson } from '../trpc/parse-json';
import { createBrowserCookies, type OpenBrowser } from './browser-cookies';
import { prefixCookieName, serializeCookie } from './cookies';

export interface SessionOptions {
  /** The first signs, all verify. To rotate, add a new secret in front and remove the old one 30 days later. */
  secrets: readonly string[];
  /** True if the cookie is sent over https only and has the `__Host-` prefix. */
  secure: boolean;
  /** Returns the time in epoch ms. Default: this node's clock. */
  now?: () => number;
}

/** Sessions without a store: the signed cookie contains the user. */
export interface Sessions {
  /**
   * Returns the session of a `Cookie` header; null if it is absent, forged, too long or expired. `CheckSession` finds out
   * from Postgres if an admin's session was revoked.
   */
  read(cookieHeader: string | undefined): Session | null;
  /** Returns the `Set-Cookie` text that starts a session, or that ends it for null. */
  serialize(session: Session | null): string;
  /** Returns a complete `Cookie` header for calls that the server makes as a user (the demo's crowd). Default: version 0. */
  createCookieHeader(user: User, version?: number): string;
  /** Opens the other cookies that these secrets sign. They stay when a session ends. */
  openBrowser: OpenBrowser;
}

const COOKIE = 'floodgate_session';
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_AGE_MS = { shopper: 30 * DAY_MS, admin: DAY_MS / 2 } as const satisfies Record<
  User['role'],
  number
>;

/** Browsers store no cookie above 4096 bytes. A longer one is rejected without an HMAC. */
const MAX_LENGTH = 4096;

const payloadSchema = z.object({
  user: z.object({
    id: z.string().min(1),
    name: z.string(),
    email: z.string().optional(),
    role: z.enum(['shopper', 'admin']),
  }),
  version: z.int().min(0),
  /** Epoch ms. Part of the signed payload, because a client can ignore Max-Age. */
  expiresAt: z.int(),
});

type Payload = z.infer<typeof payloadSchema>;

interface DatedSession {
  session: Session;
  expiresAt: number;
}

/** Maximum number of cached headers. Each has at most 16 KiB, usually 100 to 200 bytes. */
const MAX_CACHED = 1_000;

/** Creates the sessions of the product (HMAC-SHA256, a few microseconds each). Throws without a secret. */
export function createSessions({ secrets, secure, now = Date.now }: SessionOptions): Sessions {
  const [signing] = secrets;
  if (signing === undefined) throw new TypeError('Sessions need at least one secret.');

  const name = prefixCookieName(COOKIE, { secure });

  const serializeSession = ({ user, version }: Session) => {
    const expiresAt = now() + MAX_AGE_MS[user.role];
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

  /** Verified sessions by `Cookie` header. Only the header and the time decide if a session is valid. */
  const verifiedSessions = new LRUCache<string, DatedSession>({ max: MAX_CACHED });

  function readPayload(cookie: string | undefined): Payload | undefined {
    const text = cookie === undefined ? undefined : verifyCookie(cookie);
    // A signed text that is not JSON belongs to another use of the secret.
    return text === undefined ? undefined : payloadSchema.safeParse(parseJson(text)).data;
  }

  function readSession(cookieHeader: string): DatedSession | undefined {
    const cached = verifiedSessions.get(cookieHeader);
    if (cached) return cached;
    const cookies = parseCookie(cookieHeader);
    const payload = readPayload(cookies[name]);
    if (!payload) return undefined;
    const { expiresAt, ...session } = payload;
    const found = { session, expiresAt };
    verifiedSessions.set(cookieHeader, found);
    return found;
  }

  return {
    read(cookieHeader) {
      const found = cookieHeader === undefined ? undefined : readSession(cookieHeader);
      return found && found.expiresAt > now() ? found.session : null;
    },
    serialize(session) {
      const value = session ? serializeSession(session) : '';
      const maxAgeMs = session ? MAX_AGE_MS[session.user.role] : 0;
      return serializeCookie({ name, value, maxAgeMs, secure });
    },
    createCookieHeader: (user, version = 0) =>
      stringifyCookie({ [name]: serializeSession({ user, version }) }),
    openBrowser: createBrowserCookies({ secrets, secure, now }),
  };
}
