import { withoutPassword } from '../env';
import { errorCodeOf } from './unavailable';

/**
 * What to print when the Postgres of `DATABASE_URL` cannot be used at start: which one, without its password, why, and
 * what to do.
 */
export function describeUnreachable(url: string, error?: unknown): string {
  const reason = reasonOf(error);
  return [
    `Postgres cannot be used at ${withoutPassword(url)}${reason ? `: ${reason}` : '.'}`,
    'Check that it runs, that the address and the password are right and that the database exists,',
    'or unset DATABASE_URL and run `npm start`, which brings a Postgres of its own.',
  ].join('\n');
}

function reasonOf(error: unknown): string | undefined {
  let innermost: Error | undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) innermost = cause;
  if (!innermost) return undefined;
  const code = errorCodeOf(error);
  // Several addresses of one name fail together with an empty message.
  return innermost.message || code || innermost.name;
}
