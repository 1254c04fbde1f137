import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The URL that a browser on this machine opens; a host that stands for all interfaces is shown as loopback. */
export function urlOf({ host, port }: { host: string; port: number }): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/** The URL for other machines of the network, where the host lets them in; `undefined` where it does not. */
export function lanUrlOf({ host, port }: { host: string; port: number }): string | undefined {
  if (isLoopback(host)) return undefined;
  if (host !== '0.0.0.0' && host !== '::') return urlOf({ host, port });
  const reachable = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  return reachable && urlOf({ host: reachable.address, port });
}
