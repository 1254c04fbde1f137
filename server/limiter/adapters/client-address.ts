import { FloodgateError } from '../floodgate-error';
import { isWhole, LimiterOptionError, type OptionNames, rejectUnknownOptions } from '../options';
import {
  type Address,
  type AddressOptions,
  formatRange,
  normalizeAddress,
  parseAddress,
  parseRange,
  validatePrefix,
} from '../policy/address';
import { createAddressRanges } from '../policy/address-ranges';

/**
 * Returns the caller's address of a request: IPv4, or the network of an IPv6 address. Throws an `UnknownAddressError` if the
 * peer has no address.
 */
export type ClientAddress = (req: AddressedRequest) => string;

/** The parts of a Node request that determine the caller's address. */
export interface AddressedRequest {
  socket: {
    remoteAddress?: string | undefined;
    localAddress?: string | undefined;
    destroyed?: boolean | undefined;
  };
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface ClientAddressOptions extends AddressOptions {
  /**
   * The proxies whose `X-Forwarded-For` counts: addresses and CIDR ranges, and `unix` for every peer of a Unix socket.
   * None of them covers every address.
   */
  trustedProxies: readonly string[];
}

const CLIENT_ADDRESS_OPTIONS: OptionNames<ClientAddressOptions> = { trustedProxies: true, ipv6Prefix: true };

/** The peer of a request has no address, so that its caller cannot be counted apart from others. */
export class UnknownAddressError extends FloodgateError {
  static override readonly code = 'UNKNOWN_ADDRESS';

  constructor(fix: string) {
    super(`The caller of this request has no address. ${fix}`);
    this.name = 'UnknownAddressError';
  }
}

/**
 * Creates the function that finds the address of a caller: the socket's peer, or behind a trusted proxy the first
 * untrusted address of X-Forwarded-For from the right. The caller itself can write everything to the left of it.
 * An entry that is not an address ends the search: the nearest valid hop counts.
 *
 * Throws a `RangeError` for a trusted proxy that is no address and no range of some addresses.
 */
export function createClientAddress(options: ClientAddressOptions): ClientAddress {
  rejectUnknownOptions('createClientAddress', options, CLIENT_ADDRESS_OPTIONS);
  const { trustedProxies, ipv6Prefix } = options;
  if (!Array.isArray(trustedProxies)) {
    const fix = 'Give a list, as in ["10.0.0.0/8"], or [] without proxies.';
    throw new LimiterOptionError('trustedProxies', trustedProxies, fix, 'createClientAddress');
  }
  if (ipv6Prefix !== undefined) validatePrefix('createClientAddress', ipv6Prefix);
  const trusted = trustedProxies.filter((proxy) => proxy !== UNIX);
  const ranges = createAddressRanges(new Map(trusted.map((proxy) => [toTrustedRange(proxy), true])));
  const isUnixTrusted = trusted.length < trustedProxies.length;
  const toCaller = (address: Address) => normalizeAddress(address.toString(), { ipv6Prefix }) ?? '';

  /** The callers of connections whose peer is no proxy. */
  const known = new WeakMap<object, { remoteAddress: string; caller: string }>();

  return function clientAddress({ socket, headers }) {
    const { remoteAddress = '' } = socket;
    const last = known.get(socket);
    if (last?.remoteAddress === remoteAddress) return last.caller;
    const peer = parseAddress(remoteAddress);
    if (peer && !ranges.find(peer.toString())) {
      const caller = toCaller(peer);
      known.set(socket, { remoteAddress, caller });
      return caller;
    }
    if (!peer) assertTrustedUnix(socket, isUnixTrusted);

    let nearest = peer;
    const hops = (headers['x-forwarded-for']?.toString() ?? '').split(',').reverse();
    for (const hop of hops) {
      if (nearest && !ranges.find(nearest.toString())) break;
      const address = parseAddress(hop.trim());
      if (!address) break;
      nearest = address;
    }
    if (!nearest)
      throw new UnknownAddressError('The proxy on the Unix socket named none in X-Forwarded-For.');
    return toCaller(nearest);
  };
}

const UNIX = 'unix';

/** Throws if a peer without an address is not a trusted one on a Unix socket. */
function assertTrustedUnix(socket: AddressedRequest['socket'], isUnixTrusted: boolean): void {
  if (hasEnded(socket)) throw new UnknownAddressError('Its connection has ended.');
  if (!isUnixTrusted) {
    throw new UnknownAddressError('Trust the proxy on a Unix socket with trustedProxies: ["unix"].');
  }
}

/**
 * Returns true if the connection of a request has ended, so that no caller receives the answer. The peer of an open connection
 * has an address, except on a Unix socket, which has no local address either.
 */
export function hasEnded({ destroyed, remoteAddress, localAddress }: AddressedRequest['socket']): boolean {
  return destroyed === true || (remoteAddress === undefined && localAddress !== undefined);
}

/** Returns true for an address, or a CIDR range of some addresses. */
export function isProxyRange(text: string): boolean {
  return (parseRange(text)?.bits ?? 0) > 0;
}

/** Returns a trusted proxy as CIDR. Throws for a range of every address: each caller could write its own address. */
function toTrustedRange(proxy: string): string {
  const range = parseRange(proxy);
  if (range && range.bits > 0) return formatRange(range);
  throw new RangeError(
    `trustedProxies: "${proxy}" is no address and no CIDR range of some addresses. For a Unix socket, use "unix".`,
  );
}

const MAX_PROXIES = 100;

/**
 * Returns the address of a caller behind `proxies` proxies, each of which appends the address of its peer to
 * `X-Forwarded-For`, in the form of `normalizeAddress`. Returns `undefined` if the header has fewer entries, or no address
 * there: the request came another way. Use it only if every request passes these proxies, because else the caller writes
 * the header itself. Pass the `ipv6Prefix` of the limiter, if it has one. Throws a `LimiterOptionError` if `proxies` is no whole number from 1 to 100.
 */
export function forwardedAddress(
  { headers }: Pick<Request, 'headers'>,
  options: { proxies: number } & AddressOptions,
): string | undefined {
  rejectUnknownOptions('forwardedAddress', options, { proxies: true, ipv6Prefix: true });
  const { proxies, ipv6Prefix } = options;
  if (!isWhole(proxies, 1, MAX_PROXIES)) {
    const fix = `Use the number of proxies that every request passes, from 1 to ${MAX_PROXIES}.`;
    throw new LimiterOptionError('proxies', proxies, fix, 'forwardedAddress');
  }
  const hops = (headers.get('x-forwarded-for') ?? '').split(',');
  return normalizeAddress(hops.at(-proxies) ?? '', { ipv6Prefix });
}
