import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
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
  const asked = known(queryOf(url).get('lang'));
  if (asked) return { language: asked, chosen: true };
  const remembered = headers.cookie === undefined ? undefined : known(parseCookie(headers.cookie)[COOKIE]);
  return { language: remembered ?? preferred(headers), chosen: false };
}

/** The `Set-Cookie` text that remembers a choice for a year. */
export function languageCookie(language: Language, { secure }: { secure: boolean }): string {
  return cookieText({ name: COOKIE, value: language, maxAge: YEAR_SECONDS, secure });
}

function preferred(headers: IncomingHttpHeaders): Language {
  return known(new Negotiator({ headers }).language([...languages])) ?? languages[0];
}

function known(text: string | null | undefined): Language | undefined {
  return languages.find((language) => language === text);
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start));
}
