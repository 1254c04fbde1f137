import { withoutPassword } from '../store-urls';
import { QueueFullError } from './call-queue';

/** SQLSTATEs and system errors of a Postgres that is down or shutting down. All other errors are replies of Postgres. */
const unavailableCodes = new Set([
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

/** Messages of pg and its pool that have no code. */
const unavailableMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
];

/**
 * Returns true if an error or one of its causes means that Postgres is down or its queue is full, as opposed to an error
 * reply of Postgres. The statement may still have been executed if the connection broke after it was sent.
 */
export function isUnavailable(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    const { message } = cause;
    if (cause instanceof QueueFullError) return true;
    // Class 08 is "connection exception".
    if (unavailableCodes.has(code) || code.startsWith('08')) return true;
    if (unavailableMessages.some((words) => message.startsWith(words))) return true;
    if (cause instanceof AggregateError && cause.errors.some(isUnavailable)) return true;
  }
  return false;
}

/** Returns the SQLSTATE or system code of the innermost cause that has one. */
export function errorCodeOf(error: unknown): string | undefined {
  let code: string | undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') code = cause.code;
  }
  return code;
}

/** Describes a Postgres that cannot be used at start: the URL without its password, the cause, and the fix. */
export function describeUnreachable(url: string, error?: unknown): string {
  const reason = innermostReason(error);
  return [
    `Postgres cannot be used at ${withoutPassword(url)}${reason ? `: ${reason}` : '.'}`,
    'Check that it runs, that the address and the password are right and that the database exists,',
    'or unset DATABASE_URL and run `npm start`, which starts an embedded Postgres.',
  ].join('\n');
}

function innermostReason(error: unknown): string | undefined {
  let innermost: Error | undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) innermost = cause;
  if (!innermost) return undefined;
  const code = errorCodeOf(error);
  // An error of several addresses of one name has an empty message.
  return innermost.message || code || innermost.name;
}
