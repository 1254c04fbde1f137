import { initTRPC, TRPCError } from '@trpc/server';
import { isUnavailable } from '../db/unavailable';
import { AppError, type FieldProblem } from '../errors';
import { rateLimitErrorData, toTrpcError } from '../limiter/adapters/trpc';
import type { Context, User } from './context';
import { MUTATION_BUDGET_MS, withinBudget } from './deadline';
import { formatSchemaMessage, listInputProblems } from './inputs';

/** The callers of a procedure. */
export type CallerKind = 'anyone' | 'user' | 'admin';

/** The metadata of a procedure. */
interface Meta {
  /** Default: `anyone`. */
  caller?: CallerKind;
  /** True if the procedure waits for more than Redis and Postgres and limits the wait itself. Default: false. */
  hasOwnTimeout?: boolean;
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error, ctx }) {
      const problems = listInputProblems(error);
      // Every procedure compares the users before anything else that conflicts.
      const isOfOtherUser = error.code === 'CONFLICT' && ctx?.showsOtherUser;
      return {
        ...shape,
        message: formatMessage(error, problems) ?? shape.message,
        data: {
          ...shape.data,
          ...rateLimitErrorData(error),
          ...(problems && { problems }),
          ...(isOfOtherUser && { otherUser: true }),
        },
      };
    },
  });

/** Returns input problems field by field. The message of an unexpected error goes only to the log. */
function formatMessage(error: TRPCError, problems: readonly FieldProblem[] = []): string | undefined {
  if (error.code === 'INTERNAL_SERVER_ERROR') return 'Something went wrong on our side.';
  return formatSchemaMessage(error, problems);
}

export const { router, mergeRouters, createCallerFactory } = t;

/**
 * A procedure for anyone, and the base of the others. Add `.use(rateLimit(…))` or `.use(unlimited)` next. It converts
 * the product's errors to tRPC errors with the same code, and answers within the budget when a store is frozen. A
 * mutation may still be written after that answer. The caller finds its result by repeating the call with the same
 * `requestId`.
 */
export const publicProcedure = t.procedure
  .use(async function answerErrors({ next }) {
    const result = await next();
    const answer = result.ok ? undefined : toAnswer(result.error.cause);
    if (answer) throw answer;
    return result;
  })
  .use(async function answerInTime({ type, meta, next }) {
    if (meta?.hasOwnTimeout) return next();
    return type === 'query' ? withinBudget(next()) : withinBudget(next(), mutationBudget);
  });

const mutationBudget = {
  budgetMs: MUTATION_BUDGET_MS,
  message:
    'No answer came in time, and this may still be done. Check again, or repeat the call with the same requestId.',
};

/** Returns the answer to an error; `undefined` for a bug, which is answered with 500. `toTrpcError` maps those of the limiter. */
function toAnswer(cause: unknown): TRPCError | undefined {
  if (cause instanceof AppError) return new TRPCError({ code: cause.code, message: cause.message, cause });
  if (!isUnavailable(cause)) return toTrpcError(cause);
  const message = 'This cannot be answered right now. Try again in a moment.';
  return new TRPCError({ code: 'SERVICE_UNAVAILABLE', message, cause });
}

/**
 * A procedure for signed-in users, otherwise 401. A call of a page that shows another user answers 409. Add
 * `.use(rateLimit(…))` or `.use(unlimited)` next.
 */
export const userProcedure = publicProcedure.meta({ caller: 'user' }).use(async function requireUser({
  ctx,
  next,
}) {
  const user = requireUserOf(ctx.user);
  requireShownUser(ctx);
  return next({ ctx: { user } });
});

/**
 * A procedure for admins, otherwise 401 or 403. Add `.use(rateLimit(…))` or `.use(unlimited)` next. While Postgres is down,
 * admins can still read the state of the fleet. Mutations answer 503 then, because the session may have been revoked.
 */
export const adminProcedure = userProcedure.meta({ caller: 'admin' }).use(async function requireAdmin({
  ctx,
  type,
  next,
}) {
  if (ctx.user.role !== 'admin') throw new AppError('FORBIDDEN', 'This is for admins only.');
  if (type === 'mutation' && !ctx.isSessionChecked) {
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      'Your session cannot be checked right now. Try again in a moment.',
    );
  }
  return next();
});

/** Throws CONFLICT for a call of a page that shows another user, whose visitor did not decide to act for this one. */
export function requireShownUser({ showsOtherUser }: Pick<Context, 'showsOtherUser'>): void {
  if (!showsOtherUser) return;
  throw new AppError(
    'CONFLICT',
    'Another user is signed in in this browser now. Reload the page, then try again.',
  );
}

function requireUserOf(user: User | null): User {
  if (!user) throw new AppError('UNAUTHORIZED', 'Sign in first.');
  return user;
}

/**
 * Returns the procedures in demo mode only. Otherwise the router gets none, and their paths answer 404. The type is the
 * same in both modes, because one client is compiled for both. So outside demo mode the type promises too much.
 */
export function onlyInDemo<Procedures extends object>(demo: boolean, procedures: Procedures): Procedures {
  return demo ? procedures : ({} as Procedures);
}
