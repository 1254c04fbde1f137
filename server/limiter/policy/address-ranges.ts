import { bytesToHex } from '@noble/hashes/utils';
import ipaddr from 'ipaddr.js';
import { lru } from 'tiny-lru';

/** Values of address ranges. */
export interface AddressRanges<Value> {
  /**
   * Returns the value, which is not over, of the narrowest range that contains an address; `undefined` for a text that is no
   * address.
   */
  find(address: string): Value | undefined;
}

/** A flood calls again from the same addresses. */
const MAX_CACHED_ADDRESSES = 10_000;

/**
 * Creates the search for the longest prefix, one hash lookup per length of prefix. Every key is a CIDR range. `isOver` returns
 * true for a value that counts no more.
 */
export function createAddressRanges<Value>(
  ranges: ReadonlyMap<string, Value>,
  { isOver = () => false }: { isOver?: (value: Value) => boolean } = {},
): AddressRanges<Value> {
  if (ranges.size === 0) return { find: () => undefined };
  const parsed = [...ranges].map(([cidr, value]) => ({ range: ipaddr.parseCIDR(cidr), value }));
  const byPrefix = new Map(parsed.map(({ range, value }) => [prefixOf(...range), value]));
  const lengths = [...new Set(parsed.map(({ range }) => range[1]))].sort((one, other) => other - one);
  const cache = lru<{ value: Value | undefined }>(MAX_CACHED_ADDRESSES);

  function search(address: string): Value | undefined {
    // The subject of an IPv6 caller is a network.
    const [first = ''] = address.split('/', 1);
    if (!ipaddr.isValid(first)) return undefined;
    const processed = ipaddr.process(first);
    for (const length of lengths) {
      const value = byPrefix.get(prefixOf(processed, length));
      if (value !== undefined && !isOver(value)) return value;
    }
    return undefined;
  }

  return {
    find(address) {
      const cached = cache.get(address);
      if (cached && (cached.value === undefined || !isOver(cached.value))) return cached.value;
      const value = search(address);
      cache.set(address, { value });
      return value;
    },
  };
}

/** Returns the first bits of an address as a text; of an IPv4 address beyond 32 bits, a text that no range has. */
function prefixOf(address: ipaddr.IPv4 | ipaddr.IPv6, length: number): string {
  const bytes = address.toByteArray();
  const bits = BigInt(8 * bytes.length - length);
  if (bits < 0n) return '';
  const value = BigInt(`0x${bytesToHex(Uint8Array.from(bytes))}`);
  return `${address.kind()}/${length}/${value >> bits}`;
}
