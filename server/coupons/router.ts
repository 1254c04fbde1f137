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
}

export function createCouponRouter({ catalog, purchase }: CouponVerbs) {
  return router({
    list: publicProcedure.use(unlimited).query(({ ctx }) => catalog.list(ctx)),

    byId: publicProcedure
      .use(unlimited)
      .input(z.object({ id: idInput }))
      .query(({ ctx, input }) => catalog.byId(input.id, ctx)),

    seckill: userProcedure
      .use(rateLimit(policies.seckill))
      .input(purchaseInput)
      .mutation(({ ctx, input }) => purchase({ kind: 'seckill', ...input, ...buyer(ctx) })),

    claim: userProcedure
      .use(rateLimit(policies.claim))
      .input(purchaseInput)
      .mutation(({ ctx, input }) => purchase({ kind: 'claim', ...input, ...buyer(ctx) })),
  });
}

/** What a purchase takes from its call, besides the input. */
function buyer(ctx: { user: { id: string }; admitted: { replayed: boolean }; deadline: number }) {
  return { userId: ctx.user.id, isReplay: ctx.admitted.replayed, deadline: ctx.deadline };
}
