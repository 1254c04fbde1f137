import { isWhole, LimiterOptionError, rejectUnknownOptions } from '../options';
import { type AddressOptions, normalizeAddress } from '../policy/address';

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
