import { withoutPassword } from '../env';
import { errorCodeOf } from './unavailable';

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
