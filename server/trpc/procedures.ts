import { AppError } from '../errors';
import { baseProcedure } from './init';
import type { User } from './user';

/** For anyone. Add `.use(rateLimit(…))` or `.use(unlimited)` next. */
export const publicProcedure = baseProcedure;

/** For a signed-in user, else 401. Add `.use(rateLimit(…))` or `.use(unlimited)` next. */
export const userProcedure = baseProcedure.use(async function requireUser({ ctx, next }) {
  return next({ ctx: { user: signedIn(ctx.user) } });
});

/** For an admin, else 401 or 403. Add `.use(rateLimit(…))` or `.use(unlimited)` next. */
export const adminProcedure = userProcedure.use(async function requireAdmin({ ctx, next }) {
  if (ctx.user.role !== 'admin') throw new AppError('FORBIDDEN', 'This is for admins only.');
  return next();
});

function signedIn(user: User | null): User {
  if (!user) throw new AppError('UNAUTHORIZED', 'Sign in first.');
  return user;
}
