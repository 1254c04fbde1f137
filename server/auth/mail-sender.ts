import { isIP } from 'node:net';
import { emailAddress } from '../trpc/inputs';

/**
 * Returns the sender address of sign-in codes, the first that applies: `?from=` of the SMTP URL, its user if that is an
 * address, `no-reply@` the host of the public origin, `no-reply@` the mail server. Most mail servers accept only
 * addresses of their own domains. Set `from` if a server refuses the derived address.
 */
export function mailSender({
  smtpUrl,
  publicOrigin,
}: {
  smtpUrl: string;
  publicOrigin?: string | undefined;
}): string {
  const url = new URL(smtpUrl);
  // A URL always escapes the @ of a user name. No other escaped character is part of an address.
  const user = url.username.replaceAll('%40', '@');
  const stated = emailAddress.safeParse(url.searchParams.get('from') ?? user);
  if (stated.success) return stated.data;
  const { hostname } = publicOrigin === undefined ? url : new URL(publicOrigin);
  // A URL writes an IPv6 host in brackets.
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  return `no-reply@${isAddress ? 'localhost' : hostname}`;
}
