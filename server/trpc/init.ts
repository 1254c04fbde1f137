import { initTRPC, TRPCError } from '@trpc/server';
import { isUnavailable } from '../db/unavailable';
import { AppError } from '../errors';
import { rateLimitErrorData, StoreUnavailableError } from '../limiter';
import type { Context } from './context';
import { inTime } from './in-time';
import { inputProblems } from './input-problems';

const t = initTRPC.context<Context>().create({
  isDev: false,
  errorFormatter({ shape, error }) {
    return {
      ...shape,
      message: messageFor(error) ?? shape.message,
      data: { ...shape.data, ...rateLimitErrorData(error) },
    };
  },
});

/** Input problems are told field by field; what an unexpected error says is for the log alone. */
function messageFor(error: TRPCError): string | undefined {
  return error.code === 'INTERNAL_SERVER_ERROR' ? 'Something went wrong on our side.' : inputProblems(error);
}

export const { router, createCallerFactory, mergeRouters } = t;

/**
 * Every procedure begins here: errors of the product become tRPC's, with the same code. A query that a frozen store
 * holds up is answered all the same, and what it waited for is left to its own timeouts; a mutation may have been
 * written by then, so it is waited for.
 */
export const baseProcedure = t.procedure
  .use(async function appErrors({ next }) {
    const result = await next();
    const known = result.ok ? undefined : knownError(result.error.cause);
    if (known) throw new TRPCError({ code: known.code, message: known.message, cause: known });
    return result;
  })
  .use(async function answerInTime({ type, next }) {
    return type === 'query' ? inTime(next()) : next();
  });

/** The error as the product names it; `undefined` for a bug, which answers 500. */
function knownError(cause: unknown): AppError | undefined {
  if (cause instanceof AppError) return cause;
  if (cause instanceof StoreUnavailableError || isUnavailable(cause)) {
    return new AppError('SERVICE_UNAVAILABLE', 'This cannot be answered right now. Try again in a moment.', {
      cause,
    });
  }
  return undefined;
}
