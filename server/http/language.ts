import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { type Language, languages } from '../trpc/language';
import { serializeCookie } from './response-cookies';

export interface RequestLanguage {
  language: Language;
  /** Chosen by this very request, and so to be remembered in a cookie. */
  isChosen: boolean;
}

const COOKIE = 'lang';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** `?lang=` before the cookie before Accept-Language; what names no language of ours is passed over. */
export function resolveLanguage({
  url = '',
  headers,
}: {
  url?: string;
  headers: IncomingHttpHeaders;
}): RequestLanguage {
  const asked = parseLanguage(readLanguageParameter(url));
  if (asked) return { language: asked, isChosen: true };
  return { language: readCookieLanguage(headers.cookie) ?? negotiateLanguage(headers), isChosen: false };
}

/** The `Set-Cookie` text that remembers a choice for a year. */
export function serializeLanguageCookie(language: Language, { secure }: { secure: boolean }): string {
  return serializeCookie({ name: COOKIE, value: language, maxAge: YEAR_SECONDS, secure });
}

function readCookieLanguage(cookie: string | undefined): Language | undefined {
  return cookie?.includes(`${COOKIE}=`) ? parseLanguage(parseCookie(cookie)[COOKIE]) : undefined;
}

/** Browsers send a few hundred different ones in all. */
const negotiated = new LRUCache<string, Language>({ max: 500 });

function negotiateLanguage(headers: IncomingHttpHeaders): Language {
  const accepted = headers['accept-language'] ?? '';
  const before = negotiated.get(accepted);
  if (before) return before;
  const language = parseLanguage(new Negotiator({ headers }).language([...languages])) ?? languages[0];
  negotiated.set(accepted, language);
  return language;
}

function parseLanguage(text: string | null | undefined): Language | undefined {
  return languages.find((language) => language === text);
}

/** The language that a URL asks for, which most do not. */
function readLanguageParameter(url: string): string | null {
  const start = url.indexOf('?');
  return start === -1 ? null : new URLSearchParams(url.slice(start)).get('lang');
}
