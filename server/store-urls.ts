/** The primary that Sentinels name, from `redis+sentinel://user:password@host:port,host:port/name`. */
export interface SentinelUrl {
  sentinels: { host: string; port: number }[];
  /** The name that the Sentinels monitor. */
  name: string;
  /** The credentials of Redis. Sentinels are read without any. */
  username: string | undefined;
  password: string | undefined;
}

const SENTINEL_URL = /^redis\+sentinel:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)\/([\w.-]+)$/;
const DEFAULT_PORT = 26_379;

/** Parses the URL of a primary behind Sentinels. Returns `undefined` for any other text. */
export function parseSentinelUrl(url: string): SentinelUrl | undefined {
  const [matched, username, password, hosts = '', name = ''] = SENTINEL_URL.exec(url.trim()) ?? [];
  if (matched === undefined) return undefined;
  const sentinels: SentinelUrl['sentinels'] = [];
  for (const address of hosts.split(',')) {
    // A port is optional, and an IPv6 address is in brackets.
    const [, host, port = String(DEFAULT_PORT)] =
      /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(address.trim()) ?? [];
    if (host === undefined || Number(port) > 65_535) return undefined;
    sentinels.push({ host: host.replace(/^\[|\]$/g, ''), port: Number(port) });
  }
  return { sentinels, name, username: decode(username), password: decode(password) };
}

function decode(text: string | undefined): string | undefined {
  return text ? decodeURIComponent(text) : undefined;
}

/** Replaces the password of a URL, also in its query: `postgres://user:password@host/db` → `postgres://user:***@host/db`. */
export function withoutPassword(url: string): string {
  if (parseSentinelUrl(url)) return url.replace(/:[^:@/]*@/, ':***@');
  if (!URL.canParse(url)) return '(an address that is not a URL)';
  const shown = new URL(url);
  if (shown.password) shown.password = '***';
  for (const name of ['password', 'sslpassword']) {
    if (shown.searchParams.has(name)) shown.searchParams.set(name, '***');
  }
  return shown.href;
}
