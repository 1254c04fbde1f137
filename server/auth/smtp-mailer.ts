import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import { emailAddress } from '../email-address';
import { AppError } from '../errors';
import type { Log } from '../observability/log';
import { composeCodeMail, type Mailer } from './code-mail';

const MAIL_TIMEOUT_MS = 15_000;
/** Timeouts of the single steps, so that the log shows which step failed. */
const timeouts = {
  dnsTimeout: 4_000,
  connectionTimeout: 4_000,
  greetingTimeout: 4_000,
  socketTimeout: 8_000,
  socketCloseTimeout: 1_000,
};

/**
 * Creates a mailer for an SMTP server, with one connection per mail. A permanently refused recipient counts as sent,
 * because a caller must not learn which addresses exist.
 */
export function createSmtpMailer(options: {
  /** `smtp://` or `smtps://`. Its query may set `from` and options of nodemailer. */
  url: string;
  /** The public origin of this server. Its host is in the sender address if the URL has none. */
  publicOrigin?: string | undefined;
  log: Pick<Log, 'warn'>;
  /** Timeout of one mail, in ms. Default: 15 s. */
  timeoutMs?: number;
}): Mailer {
  const { url, publicOrigin, log, timeoutMs = MAIL_TIMEOUT_MS } = options;
  const from = { name: 'Floodgate', address: mailSender({ smtpUrl: url, publicOrigin }) };
  const transport = createTransport({ url: withoutFrom(url), ...timeouts, requireTLS: sendsPassword(url) });

  return {
    async send({ to, ...mail }) {
      try {
        await transport.sendMail({
          from,
          // An object, because nodemailer parses a string as a list of names and addresses.
          to: { name: '', address: to },
          ...composeCodeMail(mail),
          // Prevents automatic replies (RFC 3834).
          headers: { 'auto-submitted': 'auto-generated' },
          signal: AbortSignal.timeout(timeoutMs),
        });
      } catch (cause) {
        const failure = loggedFailure(cause);
        if (failure.command === 'RCPT TO' && failure.permanent === true) {
          log.warn(failure, 'The mail server refused a recipient.');
          return;
        }
        log.warn(failure, 'A sign-in code could not be mailed.');
        throw new AppError('SERVICE_UNAVAILABLE', 'No code can be sent right now. Try again in a moment.', {
          cause,
        });
      }
    },
  };
}

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

/** Removes `from`, because nodemailer has an option of the same name. */
function withoutFrom(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  url.searchParams.delete('from');
  return url.href;
}

/** Returns true if the URL has a password. A password requires TLS, unless the URL has `?requireTLS=false`. */
function sendsPassword(smtpUrl: string): boolean {
  return new URL(smtpUrl).password !== '';
}

/** Returns the loggable fields of a failure. The message and the server's reply are left out, because they repeat the address. */
function loggedFailure(
  error: unknown,
): Record<'name' | 'code' | 'command' | 'responseCode' | 'permanent', unknown> {
  const read = (field: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
  return {
    name: read('name'),
    code: read('code'),
    command: read('command'),
    responseCode: read('responseCode'),
    permanent: read('permanent'),
  };
}
