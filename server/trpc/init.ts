import { initTRPC, TRPCError } from '@trpc/server';
import { isUnavailable } from '../db/unavailable';
import { AppError, type FieldProblem } from '../errors';
import { rateLimitErrorData, StoreUnavailableError } from '../limiter';
import type { Context } from './context';
import { formatSchemaMessage, listInputProblems } from './input-problems';
import { MUTATION_BUDGET_MS, withinBudget } from './within-budget';

/** The metadata of a procedure. */
interface Meta {
  /** True if the procedure waits for more than Redis and Postgres and limits the wait itself. Default: false. */
  hasOwnTimeout?: boolean;
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error }) {
      const problems = listInputProblems(error);
      return {
        ...shape,
        message: formatMessage(error, problems) ?? shape.message,
        data: { ...shape.data, ...rateLimitErrorData(error), ...(problems && { problems }) },
      };
    },
  });

/** Returns input problems field by field. The message of an unexpected error goes only to the log. */
function formatMessage(error: TRPCError, problems: readonly FieldProblem[] = []): string | undefined {
  if (error.code === 'INTERNAL_SERVER_ERROR') return 'Something went wrong on our side.';
  return formatSchemaMessage(error, problems);
}

export const { router, createCallerFactory, mergeRouters } = t;

/**
 * The base of every procedure. It converts the product's errors to tRPC errors with the same code, and answers within the
 * budget when a store is frozen. A mutation may still be written after that answer. The caller finds its result by
 * repeating the call with the same `requestId`.
 */
export const baseProcedure = t.procedure
  .use(async function appErrors({ next }) {
    const result = await next();
    const known = result.ok ? undefined : toAppError(result.error.cause);
    if (known) throw new TRPCError({ code: known.code, message: known.message, cause: known });
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

/** Converts a cause to an error of the product. Returns `undefined` for a bug, which is answered with 500. */
function toAppError(cause: unknown): AppError | undefined {
  if (cause instanceof AppError) return cause;
  if (cause instanceof StoreUnavailableError || isUnavailable(cause)) {
    return new AppError('SERVICE_UNAVAILABLE', 'This cannot be answered right now. Try again in a moment.', {
      cause,
    });
  }
  return undefined;
}
