import { isIPv4 } from 'node:net';

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
