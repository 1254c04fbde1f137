import { createTransport } from 'nodemailer';
import { AppError } from '../errors';
import type { Log } from '../observability/log';
import { codeMail } from './code-mail';
import { mailSender } from './mail-sender';
import type { Mailer } from './mailer';

export interface SmtpMailerOptions {
  /** `smtp://` or `smtps://`; its query may set options of nodemailer, and `from`. */
  url: string;
  /** Where browsers see this server; its host names the sender where the URL does not. */
  publicOrigin?: string | undefined;
  log: Pick<Log, 'warn'>;
  /** Milliseconds that one mail may take in all. Default: 15 s. */
  deadlineMs?: number;
}

const DEADLINE_MS = 15_000;
/** What the whole deadline would not tell apart: a server that is not there, does not greet, or falls silent. */
const timeouts = {
  dnsTimeout: 4_000,
  connectionTimeout: 4_000,
  greetingTimeout: 4_000,
  socketTimeout: 8_000,
  socketCloseTimeout: 1_000,
};

/**
 * Hands codes to a mail server, one connection per mail. A recipient that the server refuses for good counts as sent:
 * to the caller, an address that nobody has must look like any other.
 */
export function createSmtpMailer(options: SmtpMailerOptions): Mailer {
  const { url, publicOrigin, log, deadlineMs = DEADLINE_MS } = options;
  const from = { name: 'Floodgate', address: mailSender({ smtpUrl: url, publicOrigin }) };
  const transport = createTransport({ url: withoutFrom(url), ...timeouts, requireTLS: sendsPassword(url) });

  return {
    async send({ to, ...mail }) {
      try {
        await transport.sendMail({
          from,
          // As an object, so that nothing in the address is read as a list or as a name.
          to: { name: '', address: to },
          ...codeMail(mail),
          // Nobody's holiday notice need answer this (RFC 3834).
          headers: { 'auto-submitted': 'auto-generated' },
          signal: AbortSignal.timeout(deadlineMs),
        });
      } catch (cause) {
        const failure = failureOf(cause);
        if (failure.command === 'RCPT TO' && failure.permanent === true) {
          log.warn(failure, 'The mail server refuses a recipient.');
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

/** What a log may have of a failure: neither the message nor the server's answer, which repeat the address. */
function failureOf(
  error: unknown,
): Record<'name' | 'code' | 'command' | 'responseCode' | 'permanent', unknown> {
  const of = (field: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
  return {
    name: of('name'),
    code: of('code'),
    command: of('command'),
    responseCode: of('responseCode'),
    permanent: of('permanent'),
  };
}

/** `from` is ours; nodemailer would take it for an option of its own. */
function withoutFrom(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  url.searchParams.delete('from');
  return url.href;
}

/** With a password, a server that does not offer TLS is refused, unless the URL says `?requireTLS=false`. */
function sendsPassword(smtpUrl: string): boolean {
  return new URL(smtpUrl).password !== '';
}
