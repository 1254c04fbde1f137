import { isIPv6 } from 'node:net';

/** Returns the URL for a browser on this machine. A wildcard host is replaced by loopback. */
export function formatServerUrl({ host, port }: { host: string; port: number }): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
