import { unlimited } from '../limiter';
import { router } from '../trpc/init';
import { publicProcedure } from '../trpc/procedures';
import { ownWindows } from './windows';

export function createLimitRouter() {
  return router({
    mine: publicProcedure
      .use(unlimited)
      .query(({ ctx }) => ownWindows(ctx.rateLimit.limiter, ctx.rateLimit.caller)),
  });
}
