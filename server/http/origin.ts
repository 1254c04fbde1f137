import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns true for a mutation from a foreign page. Browsers send Origin with every POST, so a request without Origin is not
 * from a browser and cannot carry a visitor's cookies. Origin `null` is foreign.
 * Without a public origin, Origin is compared with Host.
 */
export function isForeignOrigin(headers: IncomingHttpHeaders, publicOrigin: string | undefined): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return false;
  // Fast path: nearly every call comes from our own pages, with Origin in normal form.
  if (publicOrigin === undefined ? isSameOrigin(origin, host) : origin === publicOrigin) return false;
  const ours =
    publicOrigin ?? (host === undefined ? undefined : parseOrigin(`${readScheme(origin)}//${host}`));
  return ours === undefined || parseOrigin(origin) !== ours;
}

const ORIGIN = /^https?:\/\/[^/?#@\s,]+$/i;

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return ORIGIN.test(origin) && origin.slice(origin.indexOf('//') + 2) === host;
}

/** Returns an origin in normal form; `undefined` for any other text, such as `null` or a URL with a path. */
function parseOrigin(text: string): string | undefined {
  if (!ORIGIN.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Returns the scheme of an origin. Behind a TLS proxy the page is https, but this server receives http. */
function readScheme(origin: string): string {
  return origin.slice(0, origin.indexOf('//'));
}
