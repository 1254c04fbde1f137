import { z } from 'zod';
import { orderStatus } from '../db/schema';
import { unlimited } from '../limiter/adapters/trpc';
import { isPseudonym, MODES } from '../limiter/index';
import { findLevel, type PolicyRegistry } from '../limits/policy-registry';
import { couponCursorInput } from '../sale/coupons/coupon-pages';
import type { DeadLetter } from '../sale/ledger/dead-letters';
import type { Refund, Refunds } from '../sale/orders/refunds';
import { cursorInput, idInput, plainText, rowCursorInput } from '../trpc/inputs';
import { adminProcedure, router } from '../trpc/procedures';
import { rules, type Thresholds } from './alerts/rules';
import type { AuditLogPage, AuditLogQuery } from './list-audit-log';
import {
  type OpsCouponPage,
  type OpsMerchantPage,
  type OpsOrderPage,
  type SaleRows,
  shownStates,
} from './sale-rows';
import type { Explain, Explanation, ListedSubject, ListRefused } from './subjects';
import type { RunWhatIf, WhatIf } from './what-if';

export interface OpsVerbs {
  whatIf: RunWhatIf;
  listRefused: ListRefused;
  explain: Explain;
  listAuditLog: (query: AuditLogQuery) => Promise<AuditLogPage>;
  saleRows: SaleRows;
  refunds: Pick<Refunds, 'listDue' | 'markSent'>;
  listDeadLetters: () => Promise<DeadLetter[]>;
}

const whatIfInput = z
  .object({
    policy: idInput,
    level: idInput,
    // The limiter validates the values.
    limit: z.number().optional(),
    windowMs: z.number().optional(),
    mode: z.enum(MODES).optional(),
  })
  .refine(
    ({ limit, windowMs, mode }) => limit !== undefined || windowMs !== undefined || mode !== undefined,
    'give a limit, a windowMs or a mode to try',
  );

const explainInput = z.object({
  policy: idInput,
  level: idInput,
  ref: z.string().refine(isPseudonym, 'is not the ref of a subject').optional(),
  refusedBy: idInput.optional(),
});

const ordersInput = z.object({
  couponId: idInput.optional(),
  status: z.enum([...orderStatus.enumValues, ...shownStates]).optional(),
  cursor: rowCursorInput,
});

const merchantsInput = z
  .object({ q: plainText({ max: 64 }).optional(), cursor: cursorInput(z.tuple([idInput])) })
  .optional();

/** An alert rule with its thresholds, which have the unit of the measured value. */
interface ListedRule extends Thresholds {
  rule: string;
}

/**
 * Creates the procedures of `/ops`: reads for operators, and the mark of a refund that a person sent. Operators change
 * limits, bans and coupons by `limit.*`, `ban.*` and `coupon.*`.
 */
export function createOpsRouter({ policies, ...verbs }: OpsVerbs & { policies: PolicyRegistry }) {
  return router({
    /** Changes nothing. It is a mutation, because clients do not repeat mutations by themselves, and it may take seconds. */
    whatIf: adminProcedure
      .use(unlimited)
      .meta({ hasOwnTimeout: true })
      .input(whatIfInput)
      .mutation(({ input, signal }): Promise<WhatIf> => {
        const { policy: _policy, level: _level, ...values } = input;
        return verbs.whatIf({ ...findLevel(policies, input), ...values, signal });
      }),

    subjects: adminProcedure.use(unlimited).query(
      async (): Promise<{ subjects: ListedSubject[] }> => ({
        subjects: await verbs.listRefused(policies),
      }),
    ),

    explain: adminProcedure
      .use(unlimited)
      .input(explainInput)
      .query(
        ({ input }): Promise<Explanation> =>
          verbs.explain({ ...findLevel(policies, input), ref: input.ref, refusedBy: input.refusedBy }),
      ),

    /** Lists the alert rules. The ops stream has the alerts. */
    alertRules: adminProcedure.use(unlimited).query((): { rules: ListedRule[] } => ({
      rules: Object.entries(rules).map(([rule, { raiseAt, forMs, clearAt, clearMs }]) => ({
        ...{ rule, raiseAt, forMs, clearAt, clearMs },
      })),
    })),

    audit: adminProcedure
      .use(unlimited)
      .input(z.object({ cursor: cursorInput(z.tuple([z.int()])) }))
      .query(({ input: { cursor } }): Promise<AuditLogPage> => verbs.listAuditLog({ cursor })),

    coupons: adminProcedure
      .use(unlimited)
      .input(z.object({ cursor: couponCursorInput }))
      .query(({ input }): Promise<OpsCouponPage> => verbs.saleRows.coupons(input)),

    orders: adminProcedure
      .use(unlimited)
      .input(ordersInput)
      .query(
        ({ input: { cursor, ...filter } }): Promise<OpsOrderPage> =>
          verbs.saleRows.orders({ ...filter, after: cursor }),
      ),

    merchants: adminProcedure
      .use(unlimited)
      .input(merchantsInput)
      .query(
        ({ input: { q, cursor } = {} }): Promise<OpsMerchantPage> =>
          verbs.saleRows.merchants({ text: q, cursor }),
      ),

    refunds: adminProcedure
      .use(unlimited)
      .query(async (): Promise<{ refunds: Refund[] }> => ({ refunds: await verbs.refunds.listDue() })),

    /** Idempotent. */
    markRefundSent: adminProcedure
      .use(unlimited)
      .input(z.object({ paymentId: idInput, why: plainText({ max: 200 }).optional() }))
      .mutation(async ({ ctx, input }): Promise<Record<string, never>> => {
        await verbs.refunds.markSent({ ...input, who: ctx.user.id });
        return {};
      }),

    deadLetters: adminProcedure.use(unlimited).query(
      async (): Promise<{ deadLetters: DeadLetter[] }> => ({
        deadLetters: await verbs.listDeadLetters(),
      }),
    ),
  });
}
