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

/**
 * The proxies whose `X-Forwarded-For` counts: a list of addresses and CIDR ranges, of which none covers every address, and of
 * `unix` for every peer of a Unix socket; `'unix'` alone; or the number of proxies that every request passes, from 0 to 100.
 * With a number, a caller who reaches the server another way can write its own address.
 */
export type TrustedProxies = readonly string[] | number | 'unix';

export interface ClientAddressOptions extends AddressOptions {
  trustedProxies: TrustedProxies;
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
 * An entry that is not an address ends the search: the nearest valid hop counts. So does the last entry of a header that has
 * fewer than the number of proxies.
 *
 * Throws a `LimiterOptionError` for a trusted proxy that is no address and no range of some addresses.
 */
export function createClientAddress(options: ClientAddressOptions): ClientAddress {
  rejectUnknownOptions('createClientAddress', options, CLIENT_ADDRESS_OPTIONS);
  const { trustedProxies, ipv6Prefix } = options;
  if (ipv6Prefix !== undefined) validatePrefix('createClientAddress', ipv6Prefix);
  const { isTrusted, isUnixTrusted } = readProxies(trustedProxies);
  const toCaller = (address: Address) => normalizeAddress(address.toString(), { ipv6Prefix }) ?? '';

  /** The callers of connections whose peer is no proxy. */
  const known = new WeakMap<object, { remoteAddress: string; caller: string }>();

  return function clientAddress({ socket, headers }) {
    const { remoteAddress = '' } = socket;
    const last = known.get(socket);
    if (last?.remoteAddress === remoteAddress) return last.caller;
    const peer = parseAddress(remoteAddress);
    if (peer && !isTrusted(peer, 0)) {
      const caller = toCaller(peer);
      known.set(socket, { remoteAddress, caller });
      return caller;
    }
    if (!peer) assertTrustedUnix(socket, isUnixTrusted);

    let nearest = peer;
    const hops = (headers['x-forwarded-for']?.toString() ?? '').split(',').reverse();
    for (const [index, hop] of hops.entries()) {
      if (nearest && !isTrusted(nearest, index)) break;
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
const MAX_PROXIES = 100;

interface Proxies {
  /** Returns true for the address of a proxy. `index` counts the proxies between it and the server. */
  isTrusted(address: Address, index: number): boolean;
  isUnixTrusted: boolean;
}

function readProxies(trustedProxies: TrustedProxies): Proxies {
  if (isWhole(trustedProxies, 0, MAX_PROXIES)) {
    return {
      isTrusted: (_address, index) => index < Number(trustedProxies),
      isUnixTrusted: trustedProxies !== 0,
    };
  }
  const proxies: unknown = trustedProxies === UNIX ? [UNIX] : trustedProxies;
  if (!Array.isArray(proxies)) {
    const fix = `Give a list, as in ["10.0.0.0/8"], [] without proxies, "unix", or the number of proxies, from 0 to ${MAX_PROXIES}.`;
    throw new LimiterOptionError('trustedProxies', trustedProxies, fix, 'createClientAddress');
  }
  const trusted = proxies.filter((proxy) => proxy !== UNIX);
  const ranges = createAddressRanges(new Map(trusted.map((proxy) => [toTrustedRange(proxy), true])));
  return {
    isTrusted: (address) => ranges.find(address.toString()) === true,
    isUnixTrusted: trusted.length < proxies.length,
  };
}

/** Throws if a peer without an address is not a trusted one on a Unix socket. */
function assertTrustedUnix(socket: AddressedRequest['socket'], isUnixTrusted: boolean): void {
  if (hasEnded(socket)) throw new UnknownAddressError('Its connection has ended.');
  if (!isUnixTrusted)
    throw new UnknownAddressError('Trust the proxy on a Unix socket with trustedProxies: ["unix"].');
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
  const fix = 'Use an address, a CIDR range of some addresses, or "unix" for a Unix socket.';
  throw new LimiterOptionError('an entry of trustedProxies', proxy, fix, 'createClientAddress');
}

/**
 * Returns the address of a caller behind `proxies` proxies, each of which appends the address of its peer to
 * `X-Forwarded-For`, in the form of `normalizeAddress`. Returns `undefined` if the header has fewer entries, or no address
 * there: the request came another way. Use it only if every request passes these proxies, because else the caller writes
 * the header itself. Pass the `ipv6Prefix` of the limiter, if it has one. Throws a `LimiterOptionError` if `proxies` is no whole number from 1 to 100.
 */
export function forwardedAddress(
  { headers }: { headers: { get(name: string): string | null | undefined } },
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

/**
 * The header in which the platform sends the address of the caller. Use it only if every request passes the platform,
 * because else the caller writes the header itself. A request without it has no address. Default: none.
 *
 * - Cloudflare: `cf-connecting-ip` (https://developers.cloudflare.com/fundamentals/reference/http-headers/)
 * - Vercel: `x-vercel-forwarded-for` (https://vercel.com/docs/headers/request-headers)
 */
export type AddressHeader = 'cf-connecting-ip' | 'x-vercel-forwarded-for' | (string & {});

/** The options by which an adapter finds the address of a caller. */
export interface AddressSource {
  trustedProxies?: TrustedProxies;
  addressHeader?: AddressHeader;
}

/** The parts of a request that have the address of its caller. */
export interface AddressOrigin {
  /** The Node request; `undefined` on runtimes without a socket. */
  peer?: AddressedRequest | undefined;
  /** Returns a header. Only of an adapter for runtimes without a socket. */
  header?: ((name: string) => string | null | undefined) | undefined;
}

/**
 * Creates the function that finds the address of a caller; `undefined` if a request has no peer, and no valid address in the
 * header that the options name. Throws for invalid options.
 */
export function createFindAddress(
  { trustedProxies, addressHeader }: AddressSource,
  ipv6Prefix: number,
): (origin: AddressOrigin) => string | undefined {
  const clientAddress = createClientAddress({ trustedProxies: trustedProxies ?? [], ipv6Prefix });
  const proxies = Number(trustedProxies);
  if (addressHeader === undefined) {
    return ({ peer, header }) => {
      if (peer) return clientAddress(peer);
      if (!header || !(proxies > 0)) return undefined;
      return forwardedAddress({ headers: { get: header } }, { proxies, ipv6Prefix });
    };
  }
  if (trustedProxies !== undefined || typeof addressHeader !== 'string' || addressHeader === '') {
    const fix = 'Use the name of the header in which the platform sends the address, without trustedProxies.';
    throw new LimiterOptionError('addressHeader', addressHeader, fix, 'rateLimit');
  }
  return ({ header }) => normalizeAddress(header?.(addressHeader) ?? '', { ipv6Prefix });
}
