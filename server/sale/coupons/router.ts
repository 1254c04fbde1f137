import { z } from 'zod';
import { type ChargeExcluded, rateLimit, unlimited } from '../../limiter/adapters/trpc';
import type { Ticket } from '../../limiter/queue';
import { policies } from '../../policies';
import { idInput, plainText, purchaseInput, seckillInput } from '../../trpc/inputs';
import { adminProcedure, publicProcedure, router, userProcedure } from '../../trpc/procedures';
import type { Coupon } from '../coupon';
import type { Purchase, PurchaseOutcome } from '../purchase';
import { type SaleTicket, toSaleTicket } from '../ticket';
import type { CouponCommands, Operator } from './coupon-commands';
import { MAX_CENTS, MAX_STOCK } from './coupon-fields';
import { couponCursorInput } from './coupon-pages';
import type { CouponReader, ReadOptions } from './coupon-reader';

/** Enough for a page of 20 orders and the reserved ones. */
const MAX_LIST_IDS = 50;

/** `ids`: coupons to return besides those of the page, such as those of a page of orders. */
const listInput = z
  .object({ cursor: couponCursorInput, ids: z.array(idInput).max(MAX_LIST_IDS).optional() })
  .optional();

const title = plainText({ min: 1, max: 80 });
/** Until the year 2100: a larger number is in another unit. */
const instant = z.int().min(0).max(4_102_444_800_000);
const quantity = z.int().min(1).max(MAX_STOCK);

// `coupon-fields.ts` checks the fields together.
const createInput = z.object({
  merchantId: idInput,
  kind: z.enum(['seckill', 'claim']),
  title: z.object({ en: title, zh: title }),
  faceValueCents: z.int().min(1).max(MAX_CENTS),
  priceCents: z.int().min(0).max(MAX_CENTS),
  stock: quantity.optional(),
  startsAt: instant,
  endsAt: instant,
});

const updateInput = createInput
  .partial()
  .extend({ id: idInput, addStock: quantity.optional() })
  .refine(
    ({ id: _id, ...change }) => Object.values(change).some((value) => value !== undefined),
    'must contain at least one change',
  );

export interface CouponVerbs {
  couponReader: CouponReader;
  couponCommands: CouponCommands;
  purchase: Purchase;
}

/** The answer of `coupon.seckill`: a purchase, or the ticket of a call that waits for its turn. */
export type SeckillOutcome = PurchaseOutcome | { outcome: 'queued'; ticket: SaleTicket };

/** The procedures of coupons: reads for everyone, purchases for signed-in users, changes for admins. */
export function createCouponRouter({ couponReader, couponCommands, purchase }: CouponVerbs) {
  return router({
    list: publicProcedure
      .use(rateLimit(policies.couponRead))
      .input(listInput)
      .query(({ ctx, input }) => couponReader.list(ctx, input)),

    byId: publicProcedure
      .use(rateLimit(policies.couponRead))
      .input(z.object({ id: idInput }))
      .query(({ ctx, input }) => couponReader.byId(input.id, ctx)),

    seckill: userProcedure
      .use(rateLimit(policies.seckill, { onQueued: toQueuedOutcome }))
      .input(
        seckillInput.refine(({ queue, requestId }) => !queue || requestId !== undefined, {
          path: ['requestId'],
          message: 'is needed with queue: true',
        }),
      )
      .mutation(
        ({ ctx, input: { queue: _queue, ...bought } }): Promise<SeckillOutcome> =>
          purchase({ kind: 'seckill', ...bought, ...toPurchaseOptions(ctx) }),
      ),

    claim: userProcedure
      .use(rateLimit(policies.claim))
      .input(purchaseInput)
      .mutation(({ ctx, input }) => purchase({ kind: 'claim', ...input, ...toPurchaseOptions(ctx) })),

    create: adminProcedure
      .use(unlimited)
      .input(createInput)
      .mutation(async ({ ctx, input: { stock = null, ...fields } }): Promise<{ coupon: Coupon }> => {
        return { coupon: await couponCommands.create({ ...fields, stock }, toOperator(ctx)) };
      }),

    update: adminProcedure
      .use(unlimited)
      .input(updateInput)
      .mutation(async ({ ctx, input: { id, ...change } }): Promise<{ coupon: Coupon }> => {
        return { coupon: await couponCommands.update({ id, change }, toOperator(ctx)) };
      }),

    close: adminProcedure
      .use(unlimited)
      .input(z.object({ id: idInput }))
      .mutation(async ({ ctx, input }): Promise<{ coupon: Coupon }> => {
        return { coupon: await couponCommands.close(input.id, toOperator(ctx)) };
      }),
  });
}

/** Returns the answer to a call that waits. */
function toQueuedOutcome(ticket: Ticket): SeckillOutcome {
  return { outcome: 'queued', ticket: toSaleTicket(ticket) };
}

/** Returns the operator of a call. */
function toOperator({ user, language, deadline }: ReadOptions & { user: { id: string } }): Operator {
  return { who: user.id, readOptions: { language, deadline } };
}

/** Returns the options of a purchase that come from its call instead of its input. */
function toPurchaseOptions({
  user,
  admitted,
  chargeExcluded,
  deadline,
}: {
  user: { id: string };
  admitted: { replayed: boolean };
  chargeExcluded: ChargeExcluded | undefined;
  deadline: number;
}) {
  return { userId: user.id, isReplay: admitted.replayed, chargeExcluded, deadline };
}
