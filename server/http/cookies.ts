import type { OutgoingHttpHeader } from 'node:http';
import { stringifySetCookie } from 'cookie';

/** The part of a response that cookies need; a Node `ServerResponse` fits. */
export interface CookieResponse {
  getHeader(name: string): OutgoingHttpHeader | undefined;
  setHeader(name: string, value: string[]): unknown;
}

/** Adds a `Set-Cookie` field, or replaces the earlier one of the same name. */
export function setCookie(res: CookieResponse, cookie: string): void {
  const name = cookie.slice(0, cookie.indexOf('=') + 1);
  const earlier = [res.getHeader('set-cookie') ?? []].flat().map(String);
  res.setHeader('set-cookie', [...earlier.filter((other) => !other.startsWith(name)), cookie]);
}

/**
 * Returns the name of a cookie that identifies the caller. Over https it gets the `__Host-` prefix, so that browsers accept
 * it only from this host and not from another subdomain.
 */
export function prefixCookieName(name: string, { secure }: { secure: boolean }): string {
  return secure ? `__Host-${name}` : name;
}

export interface CookieOptions {
  name: string;
  value: string;
  /** Lifetime in ms, a whole number of seconds. 0 removes the cookie. */
  maxAgeMs: number;
  /** True if the cookie is sent over https only. */
  secure: boolean;
}

/** Returns the text of a `Set-Cookie` field with the attributes of every cookie of the product. */
export function serializeCookie({ name, value, maxAgeMs, secure }: CookieOptions): string {
  const maxAge = maxAgeMs / 1000;
  return stringifySetCookie({ name, value, maxAge, secure, path: '/', httpOnly: true, sameSite: 'lax' });
}
