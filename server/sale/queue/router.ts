import { z } from 'zod';
import { AppError } from '../../errors';
import { rateLimit, unlimited } from '../../limiter/adapters/trpc';
import { policies } from '../../policies';
import { idInput } from '../../trpc/inputs';
import { router, userProcedure } from '../../trpc/procedures';
import type { SaleTicket } from '../ticket';
import type { SaleQueue } from './sale-queue';

/** The operations of shoppers on the queue of the sale. */
export type QueueVerbs = Pick<SaleQueue, 'mine' | 'leave'>;

const MAX_TICKET_IDS = 20;
const mineInput = z.object({ ticketIds: z.array(idInput).max(MAX_TICKET_IDS).optional() }).optional();

/** The procedures of a signed-in shopper's own tickets. `coupon.seckill` joins the queue. */
export function createQueueRouter({ mine, leave }: QueueVerbs) {
  return router({
    mine: userProcedure
      .use(rateLimit(policies.ownRead))
      .input(mineInput)
      .query(
        ({ ctx, input }): Promise<{ tickets: SaleTicket[]; serverNow: number }> =>
          mine({ userId: ctx.user.id, ticketIds: input?.ticketIds }),
      ),

    leave: userProcedure
      .use(unlimited)
      .input(z.object({ ticketId: idInput }))
      .mutation(async ({ ctx, input: { ticketId } }): Promise<Record<string, never>> => {
        if (await leave({ userId: ctx.user.id, ticketId })) return {};
        throw new AppError('CONFLICT', 'This ticket is not waiting.');
      }),
  });
}
