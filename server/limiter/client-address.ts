import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createAddressRanges } from './address-ranges';

type Address = ReturnType<typeof ipaddr.parse>;

/** Returns the caller's address of a request: IPv4, or the /64 network of an IPv6 address. */
export type ClientAddress = (req: AddressedRequest) => string;

/** The parts of a Node request that determine the caller's address. */
export interface AddressedRequest {
  socket: { remoteAddress?: string | undefined };
  headers: IncomingHttpHeaders;
}

/** The prefix length that identifies an IPv6 caller. A household gets a /64, so it can choose any address inside it. */
const IPV6_PREFIX_BITS = 64;

/**
 * Creates the function that finds the address of a caller: the socket's peer, or behind a trusted proxy the first
 * untrusted address of X-Forwarded-For from the right. The caller itself can write everything to the left of it.
 * An entry that is not an address ends the search: the nearest valid hop counts.
 *
 * `trustedProxies` are addresses or CIDR ranges. Throws if one of them covers every address.
 */
export function createClientAddress({
  trustedProxies,
}: {
  trustedProxies: readonly string[];
}): ClientAddress {
  const ranges = createAddressRanges(new Map(trustedProxies.map((range) => [toRange(range), true])));

  /** The callers of connections whose peer is no proxy, because parsing an address takes about 4 µs. */
  const known = new WeakMap<object, { remoteAddress: string; caller: string }>();

  return function clientAddress({ socket, headers }) {
    const { remoteAddress = '' } = socket;
    const last = known.get(socket);
    if (last?.remoteAddress === remoteAddress) return last.caller;
    const peer = parseAddress(remoteAddress);
    // The socket is already closed, so the answer cannot be delivered.
    if (!peer) return 'unknown';
    if (!ranges.find(peer.toString())) {
      const caller = toCaller(peer);
      known.set(socket, { remoteAddress, caller });
      return caller;
    }

    let nearest = peer;
    const hops = (headers['x-forwarded-for']?.toString() ?? '').split(',').reverse();
    for (const hop of hops) {
      if (!ranges.find(nearest.toString())) break;
      const address = parseAddress(hop.trim());
      if (!address) break;
      nearest = address;
    }
    return toCaller(nearest);
  };
}

/** Returns a trusted range as CIDR. Throws for one of every address: each caller could write its own address. */
function toRange(trusted: string): string {
  const range = trusted.includes('/') ? trusted : `${trusted}/${isIP(trusted) === 6 ? 128 : 32}`;
  if (!ipaddr.isValidCIDR(range) || range.endsWith('/0')) {
    throw new RangeError(`trustedProxies: "${trusted}" is no address and no CIDR range of some addresses.`);
  }
  return range;
}

/** Returns a typed address in the form in which callers are counted; `undefined` if it is not an address. */
export function normalizeAddress(text: string): string | undefined {
  // The UI shows an IPv6 network with its prefix.
  const address = parseAddress(text.trim().replace(new RegExp(`/${IPV6_PREFIX_BITS}$`), ''));
  return address && toCaller(address);
}

/**
 * Returns a typed CIDR range without the bits of its hosts: IPv4, or IPv6 of at most 64 bits, in which callers are
 * counted. Returns `undefined` for other text, and for a range of every address.
 */
export function normalizeRange(text: string): string | undefined {
  const [address = '', bits = '', ...rest] = text.trim().split('/');
  const kind = isIP(address);
  const length = Number(bits);
  const isLength = /^\d{1,2}$/.test(bits) && length >= 1 && length <= (kind === 4 ? 32 : IPV6_PREFIX_BITS);
  if (kind === 0 || !isLength || rest.length > 0) return undefined;
  const family = kind === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${address}/${length}`).toString()}/${length}`;
}

/** Parses an address strictly: `isIP` comes first, because ipaddr.js also accepts `1` and `0x7f.1`. */
function parseAddress(text: string): Address | undefined {
  const bare = removePort(text);
  if (isIP(bare) === 0) return undefined;
  const zone = bare.indexOf('%');
  return ipaddr.process(zone === -1 ? bare : bare.slice(0, zone));
}

/** Removes the port that some proxies append: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function removePort(text: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function toCaller(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX_BITS}`);
  return `${network.toString()}/${IPV6_PREFIX_BITS}`;
}
