import { z } from 'zod';
import { unlimited } from '../limiter';
import { cursorInput } from '../trpc/cursor';
import { router } from '../trpc/init';
import { idInput } from '../trpc/plain-text';
import { userProcedure } from '../trpc/procedures';
import type { ShopperOrders } from './shopper-orders';

export function createOrderRouter({ shopperOrders }: { shopperOrders: ShopperOrders }) {
  return router({
    list: userProcedure
      .use(unlimited)
      .input(z.object({ cursor: cursorInput(z.tuple([z.int().min(0).max(8.64e15), idInput])) }).optional())
      .query(({ ctx, input }) => shopperOrders.list({ userId: ctx.user.id, cursor: input?.cursor })),

    byId: userProcedure
      .use(unlimited)
      .input(z.object({ id: idInput }))
      .query(async ({ ctx, input }) => ({
        order: await shopperOrders.byId({ userId: ctx.user.id, id: input.id }),
      })),
  });
}
