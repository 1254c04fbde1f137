import { AppError } from '../errors';
import { baseProcedure } from './init';
import type { User } from './user';

/** For anyone. Add `.use(rateLimit(…))` or `.use(unlimited)` next. */
export const publicProcedure = baseProcedure;

/** For a signed-in user, else 401. Add `.use(rateLimit(…))` or `.use(unlimited)` next. */
export const userProcedure = baseProcedure.use(async function requireUser({ ctx, next }) {
  return next({ ctx: { user: signedIn(ctx.user) } });
});

function signedIn(user: User | null): User {
  if (!user) throw new AppError('UNAUTHORIZED', 'Sign in first.');
  return user;
}
