import { z } from 'zod';
import { rateLimit, unlimited } from '../limiter';
import { policies } from '../policies';
import { router } from '../trpc/init';
import { idInput } from '../trpc/plain-text';
import { publicProcedure, userProcedure } from '../trpc/procedures';
import type { Catalog } from './catalog';
import type { PurchaseOptions, PurchaseOutcome } from './purchase';

const purchaseInput = z.object({ couponId: idInput, requestId: z.uuid().optional() });

export interface CouponVerbs {
  catalog: Catalog;
  purchase: (options: PurchaseOptions) => Promise<PurchaseOutcome>;
  /** How long a call that began at this instant of `performance.now()` may still wait for Redis, in ms. */
  storeBudgetMs: (startedAt: number) => number;
}

export function createCouponRouter({ catalog, purchase, storeBudgetMs }: CouponVerbs) {
  return router({
    list: publicProcedure.use(unlimited).query(({ ctx }) => catalog.list(ctx.language)),

    byId: publicProcedure
      .use(unlimited)
      .input(z.object({ id: idInput }))
      .query(({ ctx, input }) => catalog.byId(input.id, ctx.language)),

    seckill: userProcedure
      .use(rateLimit(policies.seckill))
      .input(purchaseInput)
      .mutation(({ ctx, input }) =>
        purchase({
          kind: 'seckill',
          ...input,
          userId: ctx.user.id,
          storeBudgetMs: storeBudgetMs(ctx.startedAt),
        }),
      ),

    claim: userProcedure
      .use(rateLimit(policies.claim))
      .input(purchaseInput)
      .mutation(({ ctx, input }) =>
        purchase({
          kind: 'claim',
          ...input,
          userId: ctx.user.id,
          storeBudgetMs: storeBudgetMs(ctx.startedAt),
        }),
      ),
  });
}
