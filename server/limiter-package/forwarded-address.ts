import { normalizeAddress } from '../limiter/client-address';

/**
 * Returns the address of a caller behind `proxies` proxies, each of which appends the address of its peer to
 * `X-Forwarded-For`. Returns `undefined` if the header has fewer entries, or no address there: the request came another
 * way. Use it only if every request passes these proxies, because else the caller writes the header itself.
 */
export function forwardedAddress(
  { headers }: Pick<Request, 'headers'>,
  { proxies }: { proxies: number },
): string | undefined {
  const hops = (headers.get('x-forwarded-for') ?? '').split(',');
  return normalizeAddress(hops.at(-proxies) ?? '');
}
