import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { type Language, languages } from '../trpc/context';
import { serializeCookie } from './cookies';

export interface RequestLanguage {
  language: Language;
  /** True if `?lang=` of this request chose the language. Then a cookie stores it. */
  isChosen: boolean;
}

const COOKIE = 'lang';
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Resolves the language of a request: `?lang=`, then the cookie, then Accept-Language. Ignores unsupported languages. */
export function resolveLanguage({
  url = '',
  headers,
}: {
  url?: string;
  headers: IncomingHttpHeaders;
}): RequestLanguage {
  const chosen = parseLanguage(readLanguageParameter(url));
  if (chosen) return { language: chosen, isChosen: true };
  return { language: readCookieLanguage(headers.cookie) ?? negotiateLanguage(headers), isChosen: false };
}

/** Returns the `Set-Cookie` text that stores a choice for a year. */
export function serializeLanguageCookie(language: Language, { secure }: { secure: boolean }): string {
  return serializeCookie({ name: COOKIE, value: language, maxAgeMs: YEAR_MS, secure });
}

function readCookieLanguage(cookie: string | undefined): Language | undefined {
  return cookie?.includes(`${COOKIE}=`) ? parseLanguage(parseCookie(cookie)[COOKIE]) : undefined;
}

/** Languages by Accept-Language. Browsers send a few hundred different values. */
const negotiated = new LRUCache<string, Language>({ max: 500 });

function negotiateLanguage(headers: IncomingHttpHeaders): Language {
  const accepted = headers['accept-language'] ?? '';
  const cached = negotiated.get(accepted);
  if (cached) return cached;
  const language = parseLanguage(new Negotiator({ headers }).language([...languages])) ?? languages[0];
  negotiated.set(accepted, language);
  return language;
}

function parseLanguage(text: string | null | undefined): Language | undefined {
  return languages.find((language) => language === text);
}

/** Returns `?lang=` of a URL. Most URLs have no query, so they are not parsed. */
function readLanguageParameter(url: string): string | null {
  const start = url.indexOf('?');
  return start === -1 ? null : new URLSearchParams(url.slice(start)).get('lang');
}
