import { initTRPC, TRPCError } from '@trpc/server';
import { AppError } from '../errors';
import { rateLimitErrorData } from '../limiter';
import type { Context } from './context';
import { inputProblems } from './input-problems';

const t = initTRPC.context<Context>().create({
  isDev: false,
  errorFormatter({ shape, error }) {
    const problems = inputProblems(error);
    return {
      ...shape,
      message: problems ?? shape.message,
      data: { ...shape.data, ...rateLimitErrorData(error) },
    };
  },
});

export const { router, createCallerFactory, mergeRouters } = t;

/** Every procedure begins here: errors of the product become tRPC's, with the same code. */
export const baseProcedure = t.procedure.use(async function appErrors({ next }) {
  const result = await next();
  if (!result.ok && result.error.cause instanceof AppError) {
    const { code, message } = result.error.cause;
    throw new TRPCError({ code, message, cause: result.error.cause });
  }
  return result;
});
