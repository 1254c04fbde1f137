import { isIPv4, isIPv6 } from 'node:net';
import { StartError } from '../errors';

/** Returns the URL for a browser on this machine. A wildcard host is replaced by loopback. */
export function formatServerUrl({ host, port }: { host: string; port: number }): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Creates the error for a server that cannot listen, with the fix. */
export function createListenError(
  cause: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): StartError {
  switch (cause.code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} of ${host} is in use. Stop the program that uses it, or choose another port: PORT=${port + 1}`,
        { cause },
      );
    case 'EACCES':
      return new StartError(`This user may not listen on port ${port}. Choose another port: PORT=3000`, {
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`${host} is not an address of this machine. Example: HOST=127.0.0.1`, { cause });
    default:
      return new StartError(`Cannot listen on port ${port} of ${host}: ${cause.message}`, { cause });
  }
}

/** Returns true if every browser resolves a host name or address to this machine, without DNS. */
export function isLoopbackName(name: string): boolean {
  const plain = name.toLowerCase();
  if (plain === 'localhost' || plain.endsWith('.localhost') || plain === '::1') return true;
  return plain.startsWith('127.') && isIPv4(plain);
}

/** Returns true if a `Host` header, with or without a port, names this machine. */
export function isLoopbackHost(host: string): boolean {
  const [, bracketed, name = bracketed] = /^(?:\[([\da-f:]*)\]|([^:]*))(?::\d*)?$/i.exec(host) ?? [];
  return name !== undefined && isLoopbackName(name);
}
