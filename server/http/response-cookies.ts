import type { OutgoingHttpHeader } from 'node:http';
import { stringifySetCookie } from 'cookie';

/** The part of a response that cookies need; a Node `ServerResponse` fits. */
export interface CookieResponse {
  getHeader(name: string): OutgoingHttpHeader | undefined;
  setHeader(name: string, value: string[]): unknown;
}

/** Adds a `Set-Cookie` field; an earlier one of the same name is replaced, so that the last word counts. */
export function setCookie(res: CookieResponse, cookie: string): void {
  const name = cookie.slice(0, cookie.indexOf('=') + 1);
  const earlier = [res.getHeader('set-cookie') ?? []].flat().map(String);
  res.setHeader('set-cookie', [...earlier.filter((other) => !other.startsWith(name)), cookie]);
}

/**
 * The name of a cookie that decides who the caller is. Over https it has the prefix with which browsers accept it from
 * this host alone, and not from another subdomain.
 */
export function prefixCookieName(name: string, { secure }: { secure: boolean }): string {
  return secure ? `__Host-${name}` : name;
}

export interface CookieOptions {
  name: string;
  value: string;
  /** Seconds until the browser forgets it; 0 removes it now. */
  maxAge: number;
  /** Sent over https only. */
  secure: boolean;
}

/** The text of a `Set-Cookie` field with the attributes that every cookie of the product has. */
export function serializeCookie({ name, value, maxAge, secure }: CookieOptions): string {
  return stringifySetCookie({ name, value, maxAge, secure, path: '/', httpOnly: true, sameSite: 'lax' });
}
