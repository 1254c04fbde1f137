import { z } from 'zod';
import { rateLimit, unlimited } from '../../limiter/adapters/trpc';
import { policies } from '../../policies';
import { idInput, requestIdInput, rowCursorInput } from '../../trpc/inputs';
import { router, userProcedure } from '../../trpc/procedures';
import type { Holds } from './holds';
import { demoCards } from './payment-provider';
import type { Payments } from './payments';
import type { ShopperOrders } from './shopper-orders';

export interface OrderVerbs {
  shopperOrders: ShopperOrders;
  /** Reads the order of a change. */
  ordersToChange: Pick<ShopperOrders, 'byId'>;
  cancel: Holds['cancel'];
  pay: Payments['pay'];
}

const changeInput = z.object({ id: idInput, requestId: requestIdInput.optional() });
/** Only the demo takes the card as input. A real provider has its own page for it. */
const payInput = changeInput.extend({ card: z.enum(demoCards).default('approves') });

/** The procedures of a signed-in shopper's own orders. Payments and cancellations are rate limited. */
export function createOrderRouter({ shopperOrders, ordersToChange, cancel, pay }: OrderVerbs) {
  return router({
    list: userProcedure
      .use(rateLimit(policies.ownRead))
      .input(z.object({ cursor: rowCursorInput }).optional())
      .query(({ ctx, input }) => shopperOrders.list({ userId: ctx.user.id, cursor: input?.cursor })),

    byId: userProcedure
      .use(unlimited)
      .input(z.object({ id: idInput }))
      .query(async ({ ctx, input }) => ({
        order: await shopperOrders.byId({ userId: ctx.user.id, id: input.id }),
      })),

    pay: userProcedure
      .use(rateLimit(policies.orderPay))
      .use(rateLimit(policies.orderChange))
      .input(payInput)
      .mutation(async ({ ctx, input: { id, requestId, card } }) => {
        const order = await ordersToChange.byId({ userId: ctx.user.id, id });
        await pay(order, { method: card, requestId });
        return { order: await ordersToChange.byId({ userId: ctx.user.id, id }) };
      }),

    cancel: userProcedure
      .use(rateLimit(policies.orderChange))
      .input(changeInput)
      .mutation(async ({ ctx, input: { id, requestId } }) => {
        const order = await ordersToChange.byId({ userId: ctx.user.id, id });
        await cancel(order, requestId);
        return { order: await ordersToChange.byId({ userId: ctx.user.id, id }) };
      }),
  });
}
