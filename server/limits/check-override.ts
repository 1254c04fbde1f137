import { AppError } from '../errors';
import { PolicyError, type ResolvedPolicy, validateOverride } from '../limiter';

/** Returns a level with overridden values if its policy accepts them. Throws BAD_REQUEST with the limiter's message. */
export function checkOverride<Level extends ResolvedPolicy<never>['levels'][number]>(
  policy: ResolvedPolicy<never>,
  level: Level,
): Level {
  try {
    validateOverride(policy, level);
    return level;
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    const { field, fix, range } = cause.mistake;
    const problem = {
      ...{ field: field.slice(field.lastIndexOf('.') + 1), text: fix },
      ...(range ? { code: 'out-of-range' as const, ...range } : { code: 'invalid' as const }),
    };
    throw new AppError('BAD_REQUEST', cause.message, { cause, problem });
  }
}
