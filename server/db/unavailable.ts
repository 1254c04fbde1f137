import { QueueFullError } from './call-queue';

/** SQLSTATEs and system errors that say "Postgres is away, or on its way out"; all other errors are answers of Postgres. */
const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  /** Too many connections. */
  '53300',
  /** Shut down by an administrator, crashed, or not started yet. */
  '57P01',
  '57P02',
  '57P03',
]);

/** What pg and its pool say without a code. */
const awayMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
];

/**
 * Whether an error, or one that caused it, means that Postgres could not be asked, as opposed to Postgres saying no:
 * it is away, or too many other calls wait for it.
 * A statement may have been executed all the same where the connection broke after it was sent.
 */
export function isUnavailable(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    const { message } = cause;
    if (cause instanceof QueueFullError) return true;
    // Class 08 is "connection exception".
    if (awayCodes.has(code) || code.startsWith('08')) return true;
    if (awayMessages.some((words) => message.startsWith(words))) return true;
    if (cause instanceof AggregateError && cause.errors.some(isUnavailable)) return true;
  }
  return false;
}

/** The SQLSTATE or system code of the innermost cause that has one. */
export function errorCodeOf(error: unknown): string | undefined {
  let code: string | undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') code = cause.code;
  }
  return code;
}
