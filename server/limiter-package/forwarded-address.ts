import { type AddressOptions, normalizeAddress } from '../limiter/address';
import { formatValue, isWhole } from '../limiter/validate-policy';

const MAX_PROXIES = 100;

/**
 * Returns the address of a caller behind `proxies` proxies, each of which appends the address of its peer to
 * `X-Forwarded-For`, in the form of `normalizeAddress`. Returns `undefined` if the header has fewer entries, or no address
 * there: the request came another way. Use it only if every request passes these proxies, because else the caller writes
 * the header itself. Throws a `RangeError` if `proxies` is no whole number from 1 to 100.
 */
export function forwardedAddress(
  { headers }: Pick<Request, 'headers'>,
  { proxies, ipv6Prefix }: { proxies: number } & AddressOptions,
): string | undefined {
  if (!isWhole(proxies, 1, MAX_PROXIES)) {
    throw new RangeError(
      `forwardedAddress: proxies is ${formatValue(proxies)}. Use the number of proxies that every request passes, from 1 to ${MAX_PROXIES}.`,
    );
  }
  const hops = (headers.get('x-forwarded-for') ?? '').split(',');
  return normalizeAddress(hops.at(-proxies) ?? '', { ipv6Prefix });
}
