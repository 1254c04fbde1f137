import { isIP } from 'node:net';
import { emailAddress } from '../trpc/email';

/**
 * The address that sign-in codes come from, first that applies: `?from=` of the SMTP URL, its user where that is an
 * address, `no-reply@` the host of the public origin, `no-reply@` the mail server. Most mail servers accept only
 * addresses of their own domains; `from` is for those that would refuse what is derived here.
 */
export function mailSender({
  smtpUrl,
  publicOrigin,
}: {
  smtpUrl: string;
  publicOrigin?: string | undefined;
}): string {
  const url = new URL(smtpUrl);
  // An @ of the user name is always written so in a URL; anything else that is escaped is no part of an address.
  const user = url.username.replaceAll('%40', '@');
  const stated = emailAddress.safeParse(url.searchParams.get('from') ?? user);
  if (stated.success) return stated.data;
  const { hostname } = publicOrigin === undefined ? url : new URL(publicOrigin);
  // An IPv6 host stands in brackets.
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  return `no-reply@${isAddress ? 'localhost' : hostname}`;
}
