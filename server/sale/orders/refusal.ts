import { errorCodeOf } from '../../db/unavailable';

/**
 * Why Postgres will not take an entry for what is in it, in a few words and without what is in it; undefined where an
 * error says something else. Only these are counted against an entry: a Postgres that is away, full, locked or not
 * migrated would refuse any.
 */
export function findRefusal(error: unknown): string | undefined {
  const code = errorCodeOf(error);
  if (code === undefined || !isOfContent(code)) return undefined;
  const constraint = constraintOf(error);
  return constraint ? `${code} ${constraint}` : code;
}

/** Class 22 is "data exception", 23 "integrity constraint violation"; P0001 is what a trigger raises. */
function isOfContent(code: string): boolean {
  return /^2[23]\w{3}$/.test(code) || code === 'P0001';
}

function constraintOf(error: unknown): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('constraint' in cause && typeof cause.constraint === 'string') return cause.constraint;
  }
  return undefined;
}
