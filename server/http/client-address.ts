import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

type Address = ReturnType<typeof ipaddr.parse>;

/** The caller's address of a request: IPv4, or the /64 of an IPv6. */
export type ClientAddress = (req: AddressedRequest) => string;

/** The parts of a Node request that say where it came from. */
export interface AddressedRequest {
  socket: { remoteAddress?: string | undefined };
  headers: IncomingHttpHeaders;
}

/** Stands for a caller whose socket is already gone; nobody will read the answer. */
const UNKNOWN_ADDRESS = 'unknown';

/** How much of an IPv6 address names a caller: a household owns a /64, so addresses inside it are free to it. */
const IPV6_PREFIX_BITS = 64;

/**
 * Finds whom to count. That is the socket's peer; only where the peer is a trusted proxy does X-Forwarded-For count,
 * and then the first untrusted address from the right, since everything left of it was written by that very caller.
 * An entry that is no address ends the walk: the nearest hop before it is counted, never the entry.
 *
 * `trustedProxies` are addresses or CIDR ranges; one that covers everything is a mistake and throws.
 */
export function createClientAddress({
  trustedProxies,
}: {
  trustedProxies: readonly string[];
}): ClientAddress {
  const isTrusted = proxyaddr.compile([...trustedProxies]);

  return function clientAddress({ socket, headers }) {
    const peer = parseAddress(socket.remoteAddress ?? '');
    if (!peer) return UNKNOWN_ADDRESS;

    let nearest = peer;
    const hops = (headers['x-forwarded-for']?.toString() ?? '').split(',').reverse();
    for (const [place, hop] of hops.entries()) {
      if (!isTrusted(nearest.toString(), place)) break;
      const address = parseAddress(hop.trim());
      if (!address) break;
      nearest = address;
    }
    return toCaller(nearest);
  };
}

/** An address that a person typed, as callers from it are counted; `undefined` where it is none. */
export function normalizeAddress(text: string): string | undefined {
  // An IPv6 network is shown with its prefix.
  const address = parseAddress(text.trim().replace(new RegExp(`/${IPV6_PREFIX_BITS}$`), ''));
  return address && toCaller(address);
}

/** Strict: `isIP` first, because ipaddr.js also reads `1`, `0x7f.1` and the like as addresses. */
function parseAddress(text: string): Address | undefined {
  const bare = withoutPort(text);
  if (isIP(bare) === 0) return undefined;
  const zone = bare.indexOf('%');
  return ipaddr.process(zone === -1 ? bare : bare.slice(0, zone));
}

/** Some proxies append `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function toCaller(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX_BITS}`);
  return `${network.toString()}/${IPV6_PREFIX_BITS}`;
}
