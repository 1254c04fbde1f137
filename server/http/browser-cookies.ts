import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseCookie } from 'cookie';
import type { Browser } from '../trpc/context';
import { prefixCookieName, serializeCookie } from './cookies';

export interface BrowserCookieOptions {
  /** The first signs, all verify, as for sessions. */
  secrets: readonly string[];
  /** True if the cookies are sent over https only and have the `__Host-` prefix. */
  secure: boolean;
  /** Returns the time in epoch ms. Default: this node's clock. */
  now?: () => number;
}

/** Opens the cookies of the browser that sent a request. `onCookie` receives the `Set-Cookie` text of each change. */
export type OpenBrowser = (
  cookieHeader: string | undefined,
  onCookie: (setCookie: string) => void,
) => Browser;

const HOUR_MS = 60 * 60 * 1000;

/** The two cookies. A request for a code ends long after its code, and each new code renews it. */
const COOKIES = {
  requested: { name: 'floodgate_browser', lifetimeMs: HOUR_MS },
  'signed-in': { name: 'floodgate_known', lifetimeMs: 365 * 24 * HOUR_MS },
} as const;

type Purpose = keyof typeof COOKIES;

/** A cookie has the tokens of the newest addresses only: about 600 bytes, and at most 8 HMACs for each secret. */
const MAX_TOKENS = 8;

/** Separates tokens. No cookie needs to escape it. */
const SEPARATOR = '~';

/** Creates the signed cookies of browsers. A token is an HMAC of its address, so it reveals none and holds for no other. */
export function createBrowserCookies({ secrets, secure, now = Date.now }: BrowserCookieOptions): OpenBrowser {
  const [signing = ''] = secrets;

  return function openBrowser(cookieHeader, onCookie) {
    /** Also the changes of earlier calls of one batch. */
    const tokens: Partial<Record<Purpose, string[]>> = {};

    function listTokens(purpose: Purpose): string[] {
      const name = prefixCookieName(COOKIES[purpose].name, { secure });
      tokens[purpose] ??= parseCookie(cookieHeader ?? '')[name]?.split(SEPARATOR, MAX_TOKENS) ?? [];
      return tokens[purpose];
    }

    function find(purpose: Purpose, email: string): { id: string; token: string } | undefined {
      for (const token of listTokens(purpose)) {
        const [id = '', expiresAt = ''] = token.split('.');
        const isSigned = secrets.some((secret) =>
          isEqual(token, signToken({ purpose, email, id, expiresAt }, secret)),
        );
        if (isSigned) return Number.parseInt(expiresAt, 36) > now() ? { id, token } : undefined;
      }
      return undefined;
    }

    function record(purpose: Purpose, email: string): string {
      const { name, lifetimeMs: maxAgeMs } = COOKIES[purpose];
      const found = find(purpose, email);
      const id = found?.id ?? randomBytes(16).toString('base64url');
      const expiresAt = (now() + maxAgeMs).toString(36);
      const others = listTokens(purpose).filter((token) => token !== found?.token);
      const newest = [signToken({ purpose, email, id, expiresAt }, signing), ...others].slice(0, MAX_TOKENS);
      tokens[purpose] = newest;
      const value = newest.join(SEPARATOR);
      onCookie(serializeCookie({ name: prefixCookieName(name, { secure }), value, maxAgeMs, secure }));
      return id;
    }

    return {
      requestedCode: (email) => find('requested', email)?.id ?? null,
      recordCodeRequest: (email) => record('requested', email),
      signedInTo: (email) => find('signed-in', email)?.id ?? null,
      recordSignIn: (email) => void record('signed-in', email),
    };
  };
}

interface Token {
  purpose: Purpose;
  email: string;
  /** 128 random bits. It stays when the token is renewed. */
  id: string;
  /** Epoch ms in base 36. Part of the signed text, because a client can ignore Max-Age. */
  expiresAt: string;
}

/** A list of texts, so that no session's signature is one of a token: sessions sign base64url. */
function signToken({ purpose, email, id, expiresAt }: Token, secret: string): string {
  const signed = JSON.stringify([purpose, email, id, expiresAt]);
  return `${id}.${expiresAt}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
