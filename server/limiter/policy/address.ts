import ipaddr from 'ipaddr.js';
import { isWhole, LimiterOptionError, type OptionNames, PREFIX_FIX, rejectUnknownOptions } from '../options';

export type Address = ReturnType<typeof ipaddr.parse>;

/** The prefix length that identifies an IPv6 caller. A household gets a /64, so it can choose any address inside it. */
export const IPV6_PREFIX = 64;

export interface AddressOptions {
  /** The bits of an IPv6 address that count. A whole number from 1 to 128; default 64. */
  ipv6Prefix?: number | undefined;
}

const ADDRESS_OPTIONS: OptionNames<AddressOptions> = { ipv6Prefix: true };

/**
 * Returns an address in the form in which the level `ip` counts it: IPv4, also if it is mapped into IPv6, or the network of an
 * IPv6 address, such as `2001:db8:1:2::/64`. The result returns itself. Accepts every spelling, also with a port or a zone.
 * Returns `undefined` for a text that is no address, and for a network that is wider than the prefix.
 */
export function normalizeAddress(text: string, options: AddressOptions = {}): string | undefined {
  rejectUnknownOptions('normalizeAddress', options, ADDRESS_OPTIONS);
  const { ipv6Prefix = IPV6_PREFIX } = options;
  validatePrefix('normalizeAddress', ipv6Prefix);
  const trimmed = text.trim();
  const range = parseRange(removePort(trimmed));
  if (!range) return undefined;
  const { address, bits } = range;
  if (address.kind() === 'ipv4') return trimmed.includes('/') ? undefined : address.toString();
  return bits < ipv6Prefix ? undefined : formatRange({ address, bits: ipv6Prefix });
}

/** Throws a `LimiterOptionError` if IPv6 addresses cannot be counted by a prefix of this length. */
export function validatePrefix(name: string, ipv6Prefix: unknown): void {
  if (isWhole(ipv6Prefix, 1, 128)) return;
  throw new LimiterOptionError('ipv6Prefix', ipv6Prefix, PREFIX_FIX, name);
}

/**
 * Returns a CIDR range without the bits of its hosts: IPv4, also if it is mapped into IPv6, or IPv6 of at most the bits by
 * which callers are counted. Returns `undefined` for other text, and for a range of every address.
 */
export function normalizeRange(
  text: string,
  { ipv6Prefix = IPV6_PREFIX }: AddressOptions = {},
): string | undefined {
  const range = text.includes('/') ? parseRange(text.trim()) : undefined;
  if (!range || range.bits === 0) return undefined;
  return range.address.kind() === 'ipv6' && range.bits > ipv6Prefix ? undefined : formatRange(range);
}

/** Returns the range of a rule for an address or a range, as CIDR; `undefined` for any other text. */
export function toRuleRange(text: string, options: AddressOptions): string | undefined {
  if (text.includes('/')) return normalizeRange(text, options);
  const address = normalizeAddress(text, options);
  return address === undefined || address.includes('/') ? address : `${address}/32`;
}

/** An address and the length of its prefix, which is the whole address if the text has none. */
export interface AddressRange {
  address: Address;
  bits: number;
}

/** Parses an address or a CIDR range. Mapped IPv4 becomes IPv4: `::ffff:10.0.0.0/104` is `10.0.0.0/8`. */
export function parseRange(text: string): AddressRange | undefined {
  const [host = '', length, ...rest] = text.split('/');
  const address = parseBareAddress(host);
  if (!address || rest.length > 0) return undefined;
  const size = 8 * address.toByteArray().length;
  if (length === undefined) return { address, bits: size };
  const isMapped = size === 32 && host.includes(':');
  const bits = Number(length) - (isMapped ? 96 : 0);
  return /^\d{1,3}$/.test(length) && isWhole(bits, 0, size) ? { address, bits } : undefined;
}

/** Formats a range without the bits of its hosts. */
export function formatRange({ address, bits }: AddressRange): string {
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`;
}

/** Parses an address that may have a port. */
export function parseAddress(text: string): Address | undefined {
  return parseBareAddress(removePort(text));
}

/** An IPv6 address: digits, an IPv4 part and a zone, whose parts ipaddr.js parses. */
const IPV6 = /^((?:[\da-f]{0,4}:){2,8}(?:[\da-f]{0,4}|[\d.]{7,15}))(?:%[\da-z.:-]+)?$/i;

/** Parses an address strictly: ipaddr.js alone also accepts `1`, `0x7f.1` and `::00001`. */
function parseBareAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  const [, address = ''] = IPV6.exec(text) ?? [];
  const [last = ''] = /[^:]*$/.exec(address) ?? [];
  if (last.includes('.') && !ipaddr.IPv4.isValidFourPartDecimal(last)) return undefined;
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address) : undefined;
}

/** Removes the port that some proxies append: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function removePort(text: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
