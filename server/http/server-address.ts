import { isIPv6 } from 'node:net';

/** The URL that a browser on this machine opens; a host that stands for all interfaces is shown as loopback. */
export function formatServerUrl({ host, port }: { host: string; port: number }): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
