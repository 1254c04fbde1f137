import { parseCookie } from 'cookie';
import { prefixCookieName, serializeCookie } from './response-cookies';

const COOKIE = 'floodgate_browser';
/** Longer than the lifetime of a sign-in code, which is bound to the id. Each new code renews it. */
const MAX_AGE_SECONDS = 60 * 60;
/** 128 random bits in base64url. Any other value is ignored. */
const ID = /^[\w-]{22}$/;

/** Returns the random id of this browser, or null if it has none. */
export function readBrowserId(
  cookieHeader: string | undefined,
  { secure }: { secure: boolean },
): string | null {
  const name = prefixCookieName(COOKIE, { secure });
  const id = cookieHeader === undefined ? undefined : parseCookie(cookieHeader)[name];
  return id !== undefined && ID.test(id) ? id : null;
}

/** Returns the `Set-Cookie` text that gives a browser its id or renews it. */
export function serializeBrowserId(id: string, { secure }: { secure: boolean }): string {
  return serializeCookie({
    name: prefixCookieName(COOKIE, { secure }),
    value: id,
    maxAge: MAX_AGE_SECONDS,
    secure,
  });
}
