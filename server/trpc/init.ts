import { initTRPC, TRPCError } from '@trpc/server';
import { isUnavailable } from '../db/unavailable';
import { AppError, type FieldProblem } from '../errors';
import { rateLimitErrorData, StoreUnavailableError } from '../limiter';
import type { Context } from './context';
import { formatSchemaMessage, listInputProblems } from './input-problems';
import { MUTATION_BUDGET_MS, withinBudget } from './within-budget';

/** What a procedure says of itself. */
interface Meta {
  /** It waits for more than Redis and Postgres, and bounds by itself what it asks of them. Default: false. */
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

/** Input problems are told field by field; what an unexpected error says is for the log alone. */
function formatMessage(error: TRPCError, problems: readonly FieldProblem[] = []): string | undefined {
  if (error.code === 'INTERNAL_SERVER_ERROR') return 'Something went wrong on our side.';
  return formatSchemaMessage(error, problems);
}

export const { router, createCallerFactory, mergeRouters } = t;

/**
 * Every procedure begins here: errors of the product become tRPC's, with the same code. A call that a frozen store holds
 * up is answered all the same, and what it waited for is left to its own timeouts. A mutation may be written after its
 * caller has heard that nobody knows; what has a `requestId` is then found by repeating it.
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
    'No answer came in time, and this may still be done. Look again, or repeat the call with the same requestId.',
};

/** The error as the product names it; `undefined` for a bug, which answers 500. */
function toAppError(cause: unknown): AppError | undefined {
  if (cause instanceof AppError) return cause;
  if (cause instanceof StoreUnavailableError || isUnavailable(cause)) {
    return new AppError('SERVICE_UNAVAILABLE', 'This cannot be answered right now. Try again in a moment.', {
      cause,
    });
  }
  return undefined;
}
