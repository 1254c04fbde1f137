import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request that changes something came from a page of ours. Browsers send Origin with every POST, so an absent
 * one is no browser and carries nobody else's cookies; `null` is a page without an origin, and foreign.
 * Without a public origin the Host that the browser called is the measure.
 */
export function isForeignOrigin(headers: IncomingHttpHeaders, publicOrigin: string | undefined): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return false;
  // Nearly every call comes from a page of ours, whose origin is told as it is.
  if (publicOrigin === undefined ? isSameOrigin(origin, host) : origin === publicOrigin) return false;
  const ours =
    publicOrigin ?? (host === undefined ? undefined : parseOrigin(`${readScheme(origin)}//${host}`));
  return ours === undefined || parseOrigin(origin) !== ours;
}

const ORIGIN = /^https?:\/\/[^/?#@\s,]+$/i;

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return ORIGIN.test(origin) && origin.slice(origin.indexOf('//') + 2) === host;
}

/** The origin in its one normal form; `undefined` for what is none, as `null` or a URL with a path. */
function parseOrigin(text: string): string | undefined {
  if (!ORIGIN.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Behind a TLS proxy the page is https and this server does not know, so the scheme is the origin's own. */
function readScheme(origin: string): string {
  return origin.slice(0, origin.indexOf('//'));
}
