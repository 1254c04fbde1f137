import { parseCookie, stringifyCookie } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { User } from '../trpc/user';
import { cookieText } from './response-cookies';

export interface SessionOptions {
  /** The first signs, all verify: a new one is put in front, and the old one removed 30 days later. */
  secrets: readonly string[];
  /** Whether the cookie is sent over https only. */
  secure: boolean;
  /** Epoch ms. Default: this node's clock. */
  now?: () => number;
}

/** Sessions without a store: the signed cookie says who the caller is. */
export interface Sessions {
  /** The user of a `Cookie` header; null where there is none, or it is forged, oversized or too old. */
  read(cookieHeader: string | undefined): User | null;
  /** The `Set-Cookie` text that begins a session, or that ends it for null. */
  serialize(user: User | null): string;
  /** A whole `Cookie` header for the user, for calls that the server makes as someone (the demo's crowd). */
  sign(user: User): string;
}

const COOKIE = 'floodgate_session';
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;

/** Browsers keep no cookie above 4096 bytes, so a longer one is not ours; it is not worth an HMAC. */
const MAX_LENGTH = 4096;

const payloadSchema = z.object({
  user: z.object({
    id: z.string().min(1),
    name: z.string(),
    email: z.string().optional(),
    role: z.enum(['shopper', 'admin']),
  }),
  /** Epoch ms. Inside the signature, because a browser's Max-Age binds only the browser. */
  expiresAt: z.int(),
});

type Session = z.infer<typeof payloadSchema>;

/** At most 16 KiB each, which is what the server takes of headers, and in truth a tenth of a kilobyte or two. */
const MAX_REMEMBERED = 1_000;

/** Makes the sessions of the product (HMAC-SHA256, a few microseconds each). Throws without a secret. */
export function createSessions({ secrets, secure, now = Date.now }: SessionOptions): Sessions {
  const [signing] = secrets;
  if (signing === undefined) throw new TypeError('Sessions need at least one secret.');

  const signed = (user: User) => {
    const payload = JSON.stringify({ user, expiresAt: now() + MAX_AGE_SECONDS * 1000 });
    return sign(Buffer.from(payload).toString('base64url'), signing);
  };

  function verified(cookie: string): string | undefined {
    if (cookie.length > MAX_LENGTH) return undefined;
    for (const secret of secrets) {
      const value = unsign(cookie, secret);
      if (value !== false) return Buffer.from(value, 'base64url').toString();
    }
    return undefined;
  }

  /** What was verified once need not be again: the text of a cookie is all that decides, besides the time. */
  const verifiedBefore = new LRUCache<string, Session>({ max: MAX_REMEMBERED });

  function sessionOf(cookieHeader: string): Session | undefined {
    const remembered = verifiedBefore.get(cookieHeader);
    if (remembered) return remembered;
    const cookie = parseCookie(cookieHeader)[COOKIE];
    const text = cookie === undefined ? undefined : verified(cookie);
    if (text === undefined) return undefined;
    const { data } = payloadSchema.safeParse(parseJson(text));
    if (data) verifiedBefore.set(cookieHeader, data);
    return data;
  }

  return {
    read(cookieHeader) {
      const session = cookieHeader === undefined ? undefined : sessionOf(cookieHeader);
      return session && session.expiresAt > now() ? session.user : null;
    },
    serialize(user) {
      const value = user ? signed(user) : '';
      return cookieText({ name: COOKIE, value, maxAge: user ? MAX_AGE_SECONDS : 0, secure });
    },
    sign: (user) => stringifyCookie({ [COOKIE]: signed(user) }),
  };
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
