import { z } from 'zod';
import type { AuditPage, AuditQuery } from '../audit/list-audit';
import { unlimited } from '../limiter';
import type { Catalogue } from '../limits/catalogue';
import { levelOf } from '../limits/level-of';
import type { DeadLetter } from '../orders/dead-letters';
import type { Refund, Refunds } from '../orders/refunds';
import { cursorInput } from '../trpc/cursor';
import { router } from '../trpc/init';
import { idInput, plainText } from '../trpc/plain-text';
import { adminProcedure } from '../trpc/procedures';
import type { Thresholds } from './alerts/hysteresis';
import { rules } from './alerts/rules';
import type { Explain, Explanation } from './explain';
import type { ListedSubject, RefusedList } from './refused-list';
import {
  type OpsCouponPage,
  type OpsMerchant,
  type OpsOrderPage,
  orderStatuses,
  type SaleRows,
} from './sale-rows';
import type { AskWhatIf, WhatIf } from './what-if';

export interface OpsVerbs {
  whatIf: AskWhatIf;
  refusedList: RefusedList;
  explain: Explain;
  listAudit: (query: AuditQuery) => Promise<AuditPage>;
  saleRows: SaleRows;
  refunds: Pick<Refunds, 'due' | 'markSent'>;
  deadLetters: () => Promise<DeadLetter[]>;
}

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
  status: z.enum(orderStatuses).optional(),
  cursor: rowCursor,
});

/** A rule of the alerts with its thresholds, which are in the unit of what it measures. */
interface WatchedRule extends Thresholds {
  rule: string;
}

/** What operators look at. What they change has its own procedures: `limit.*`, `ban.*`, `coupon.*`. */
export function createOpsRouter({ catalogue, ...verbs }: OpsVerbs & { catalogue: Catalogue }) {
  return router({
    /** Changes nothing. A mutation, so that nothing asks for it again by itself: it may take seconds. */
    whatIf: adminProcedure
      .use(unlimited)
      .meta({ takesLong: true })
      .input(whatIfInput)
      .mutation(({ input, signal }): Promise<WhatIf> => {
        const { policy: _policy, level: _level, ...numbers } = input;
        return verbs.whatIf({ ...levelOf(catalogue, input), ...numbers, signal });
      }),

    subjects: adminProcedure.use(unlimited).query(
      async (): Promise<{ subjects: ListedSubject[] }> => ({
        subjects: await verbs.refusedList(catalogue),
      }),
    ),

    explain: adminProcedure
      .use(unlimited)
      .input(explainInput)
      .query(
        ({ input }): Promise<Explanation> => verbs.explain({ ...levelOf(catalogue, input), ref: input.ref }),
      ),

    /** What is watched on the whole fleet. What fires is told by the stream. */
    alertRules: adminProcedure.use(unlimited).query((): { rules: WatchedRule[] } => ({
      rules: Object.entries(rules).map(([rule, { raiseAt, forMs, clearAt, clearMs }]) => ({
        ...{ rule, raiseAt, forMs, clearAt, clearMs },
      })),
    })),

    audit: adminProcedure
      .use(unlimited)
      .input(z.object({ cursor: cursorInput(z.tuple([z.int()])) }))
      .query(({ input: { cursor } }): Promise<AuditPage> => verbs.listAudit({ cursor })),

    coupons: adminProcedure
      .use(unlimited)
      .input(z.object({ cursor: rowCursor }))
      .query(({ input: { cursor } }): Promise<OpsCouponPage> => verbs.saleRows.coupons({ after: cursor })),

    orders: adminProcedure
      .use(unlimited)
      .input(ordersInput)
      .query(
        ({ input: { cursor, ...filter } }): Promise<OpsOrderPage> =>
          verbs.saleRows.orders({ ...filter, after: cursor }),
      ),

    merchants: adminProcedure
      .use(unlimited)
      .query(
        async (): Promise<{ merchants: OpsMerchant[] }> => ({ merchants: await verbs.saleRows.merchants() }),
      ),

    refunds: adminProcedure
      .use(unlimited)
      .query(async (): Promise<{ refunds: Refund[] }> => ({ refunds: await verbs.refunds.due() })),

    /** Again, it changes nothing. */
    markRefundSent: adminProcedure
      .use(unlimited)
      .input(z.object({ paymentId: idInput, why: plainText({ max: 200 }).optional() }))
      .mutation(async ({ ctx, input }): Promise<Record<string, never>> => {
        await verbs.refunds.markSent({ ...input, who: ctx.user.id });
        return {};
      }),

    deadLetters: adminProcedure.use(unlimited).query(
      async (): Promise<{ deadLetters: DeadLetter[] }> => ({
        deadLetters: await verbs.deadLetters(),
      }),
    ),
  });
}
