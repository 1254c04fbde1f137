import { AppError } from '../errors';
import { baseProcedure } from './init';
import type { User } from './user';

/** A procedure for anyone. Add `.use(rateLimit(…))` or `.use(unlimited)` next. */
export const publicProcedure = baseProcedure;

/** A procedure for signed-in users, otherwise 401. Add `.use(rateLimit(…))` or `.use(unlimited)` next. */
export const userProcedure = baseProcedure.use(async function requireUser({ ctx, next }) {
  return next({ ctx: { user: requireUserOf(ctx.user) } });
});

/**
 * A procedure for admins, otherwise 401 or 403. Add `.use(rateLimit(…))` or `.use(unlimited)` next. While Postgres is down,
 * admins can still read the state of the fleet. Mutations answer 503 then, because the session may have been revoked.
 */
export const adminProcedure = userProcedure.use(async function requireAdmin({ ctx, type, next }) {
  if (ctx.user.role !== 'admin') throw new AppError('FORBIDDEN', 'This is for admins only.');
  if (type === 'mutation' && !ctx.isSessionChecked) {
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      'Your session cannot be checked right now. Try again in a moment.',
    );
  }
  return next();
});

function requireUserOf(user: User | null): User {
  if (!user) throw new AppError('UNAUTHORIZED', 'Sign in first.');
  return user;
}
