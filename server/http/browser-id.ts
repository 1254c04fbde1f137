import { parseCookie } from 'cookie';
import { prefixCookieName, serializeCookie } from './response-cookies';

const COOKIE = 'floodgate_browser';
/** Longer than anything that is bound to it; each new binding starts it again. */
const MAX_AGE_SECONDS = 60 * 60;
/** 128 random bits in base64url. What else stands in the cookie is not ours. */
const ID = /^[\w-]{22}$/;

/** The id that this browser was given; null where it has none. */
export function readBrowserId(
  cookieHeader: string | undefined,
  { secure }: { secure: boolean },
): string | null {
  const name = prefixCookieName(COOKIE, { secure });
  const id = cookieHeader === undefined ? undefined : parseCookie(cookieHeader)[name];
  return id !== undefined && ID.test(id) ? id : null;
}

/** The `Set-Cookie` text that gives a browser its id, or keeps it for longer. */
export function serializeBrowserId(id: string, { secure }: { secure: boolean }): string {
  return serializeCookie({
    name: prefixCookieName(COOKIE, { secure }),
    value: id,
    maxAge: MAX_AGE_SECONDS,
    secure,
  });
}
