import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { type Language, languages } from '../trpc/language';
import { cookieText } from './response-cookies';

export interface RequestLanguage {
  language: Language;
  /** Chosen by this very request, and so to be remembered in a cookie. */
  chosen: boolean;
}

const COOKIE = 'lang';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** `?lang=` before the cookie before Accept-Language; what names no language of ours is passed over. */
export function languageOf({
  url = '',
  headers,
}: {
  url?: string;
  headers: IncomingHttpHeaders;
}): RequestLanguage {
  const asked = known(askedBy(url));
  if (asked) return { language: asked, chosen: true };
  return { language: remembered(headers.cookie) ?? preferred(headers), chosen: false };
}

/** The `Set-Cookie` text that remembers a choice for a year. */
export function languageCookie(language: Language, { secure }: { secure: boolean }): string {
  return cookieText({ name: COOKIE, value: language, maxAge: YEAR_SECONDS, secure });
}

function remembered(cookie: string | undefined): Language | undefined {
  return cookie?.includes(`${COOKIE}=`) ? known(parseCookie(cookie)[COOKIE]) : undefined;
}

/** Browsers send a few hundred different ones in all. */
const negotiated = new LRUCache<string, Language>({ max: 500 });

function preferred(headers: IncomingHttpHeaders): Language {
  const accepted = headers['accept-language'] ?? '';
  const before = negotiated.get(accepted);
  if (before) return before;
  const language = known(new Negotiator({ headers }).language([...languages])) ?? languages[0];
  negotiated.set(accepted, language);
  return language;
}

function known(text: string | null | undefined): Language | undefined {
  return languages.find((language) => language === text);
}

/** The language that a URL asks for, which most do not. */
function askedBy(url: string): string | null {
  const start = url.indexOf('?');
  return start === -1 ? null : new URLSearchParams(url.slice(start)).get('lang');
}
