import { z } from 'zod';
import { unlimited } from '../limiter';
import type { RefusedSubject } from '../limits/refused-subjects';
import type { WhatIf, WhatIfOptions } from '../limits/what-if';
import type { DeadLetter } from '../orders/dead-letters';
import type { Refund } from '../orders/payments';
import { cursorInput } from '../trpc/cursor';
import { router } from '../trpc/init';
import { idInput } from '../trpc/plain-text';
import { adminProcedure } from '../trpc/procedures';
import type { AuditPage } from './audit-trail';
import type { ExplainOptions, Explanation } from './explain';
import type { OpsCouponPage, OpsMerchant, OpsOrderPage } from './sale-rows';

export interface OpsVerbs {
  whatIf: (options: WhatIfOptions) => Promise<WhatIf>;
  refusedSubjects: () => Promise<RefusedSubject[]>;
  explain: (options: ExplainOptions) => Promise<Explanation>;
  auditTrail: (query: { before?: number | undefined }) => Promise<AuditPage>;
  coupons: (query: { after?: RowCursor | undefined }) => Promise<OpsCouponPage>;
  orders: (query: OrdersQuery) => Promise<OpsOrderPage>;
  merchants: () => Promise<OpsMerchant[]>;
  refundsDue: () => Promise<Refund[]>;
  deadLetters: () => Promise<DeadLetter[]>;
}

/** The sort key of coupons and orders: newest first. */
export type RowCursor = [createdAt: number, id: string];

export interface OrdersQuery {
  couponId?: string | undefined;
  status?: (typeof statuses)[number] | undefined;
  after?: RowCursor | undefined;
}

const statuses = ['confirmed', 'paid', 'cancelled', 'expired'] as const;

const rowCursor = cursorInput(z.tuple([z.int(), idInput]));

const whatIfInput = z
  .object({
    policy: idInput,
    level: idInput,
    // What a policy can be is the limiter's to say.
    limit: z.number().optional(),
    windowMs: z.number().optional(),
    mode: z.enum(['enforce', 'shadow', 'off']).optional(),
  })
  .refine(
    ({ limit, windowMs, mode }) => limit !== undefined || windowMs !== undefined || mode !== undefined,
    'give a limit, a windowMs or a mode to ask about',
  );

const explainInput = z.object({
  policy: idInput,
  level: idInput,
  ref: z
    .string()
    .regex(/^[\w-]{22}$/)
    .optional(),
});

const ordersInput = z.object({
  couponId: idInput.optional(),
  status: z.enum(statuses).optional(),
  cursor: rowCursor,
});

/** What operators look at. What they change has its own procedures: `limit.*`, `ban.*`, `coupon.*`. */
export function createOpsRouter(verbs: OpsVerbs) {
  return router({
    /** Changes nothing. A mutation because it may take seconds, which a query may not. */
    whatIf: adminProcedure
      .use(unlimited)
      .input(whatIfInput)
      .mutation(({ input }): Promise<WhatIf> => verbs.whatIf(input)),

    subjects: adminProcedure.use(unlimited).query(
      async (): Promise<{ subjects: RefusedSubject[] }> => ({
        subjects: await verbs.refusedSubjects(),
      }),
    ),

    explain: adminProcedure
      .use(unlimited)
      .input(explainInput)
      .query(({ input }): Promise<Explanation> => verbs.explain(input)),

    audit: adminProcedure
      .use(unlimited)
      .input(z.object({ cursor: cursorInput(z.tuple([z.int()])) }))
      .query(({ input: { cursor } }): Promise<AuditPage> => verbs.auditTrail({ before: cursor?.[0] })),

    coupons: adminProcedure
      .use(unlimited)
      .input(z.object({ cursor: rowCursor }))
      .query(({ input: { cursor } }): Promise<OpsCouponPage> => verbs.coupons({ after: cursor })),

    orders: adminProcedure
      .use(unlimited)
      .input(ordersInput)
      .query(
        ({ input: { cursor, ...filter } }): Promise<OpsOrderPage> =>
          verbs.orders({ ...filter, after: cursor }),
      ),

    merchants: adminProcedure
      .use(unlimited)
      .query(async (): Promise<{ merchants: OpsMerchant[] }> => ({ merchants: await verbs.merchants() })),

    refunds: adminProcedure
      .use(unlimited)
      .query(async (): Promise<{ refunds: Refund[] }> => ({ refunds: await verbs.refundsDue() })),

    deadLetters: adminProcedure.use(unlimited).query(
      async (): Promise<{ deadLetters: DeadLetter[] }> => ({
        deadLetters: await verbs.deadLetters(),
      }),
    ),
  });
}
