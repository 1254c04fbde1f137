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

/** `postgres://user:password@host/db` → `postgres://user:***@host/db`, also where it hides in the query. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return '(an address that is not a URL)';
  const parsed = new URL(url);
  if (parsed.password) parsed.password = '***';
  for (const name of ['password', 'sslpassword']) {
    if (parsed.searchParams.has(name)) parsed.searchParams.set(name, '***');
  }
  return parsed.href;
}

function reasonOf(error: unknown): string | undefined {
  let innermost: Error | undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) innermost = cause;
  if (!innermost) return undefined;
  const code = errorCodeOf(error);
  // Several addresses of one name fail together with an empty message.
  return innermost.message || code || innermost.name;
}
