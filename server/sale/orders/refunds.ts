import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { auditLog, orders, payments } from '../../db/schema';
import { AppError, notFoundError } from '../../errors';
import type { Log } from '../../observability/log';
import { withinBudget } from '../../trpc/deadline';
import { type PaymentProvider, PROVIDER_LATE, type RefundOutcome } from './payment-provider';
import { toCharge } from './payments';

/**
 * Refunds of payments that were approved too late. The provider sends them. If it declines or fails for hours, a person
 * sends the refund and marks it as sent.
 */
export interface Refunds {
  /** Lists the refunds that are not sent, oldest first. */
  listDue(): Promise<Refund[]>;
  /** Sends the refunds that are due for an attempt. Any number of nodes may run it at once. */
  sweepRefunds(): Promise<void>;
  /**
   * Records the person who sent a refund. A second call changes nothing. Throws NOT_FOUND for an unknown payment, CONFLICT
   * if no refund is due or the provider is still trying.
   */
  markSent(sent: SentRefund): Promise<void>;
}

export interface SentRefund {
  paymentId: string;
  /** The user who sent it. */
  who: string;
  /** A note, such as the provider's reference. */
  why?: string | undefined;
}

export interface Refund {
  paymentId: string;
  orderId: string;
  userId: string;
  couponId: string;
  amountCents: number;
  /** Time of the late approval, in epoch ms. */
  since: number;
  /** A person has to send it, because the provider declined or failed too often. */
  byHand: boolean;
  /** Number of requests to the provider. */
  attempts: number;
}

export interface RefundsOptions {
  db: Db;
  /** Undefined without a payment provider: then every refund is sent by hand. */
  provider: PaymentProvider | undefined;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Timeout of a request, in ms; less than `retryAfterMs`. Default: 2000. */
  waitMs?: number;
  /** Delay before the next attempt, in ms; doubles up to an hour. Default: 5000. */
  retryAfterMs?: number;
  /** Failed attempts after which a person has to send it. Default: 12, which take about three hours. */
  maxAttempts?: number;
}

const MAX_SHOWN = 200;
/** Refunds per run of the job. */
const BATCH = 50;

type PaymentRow = typeof payments.$inferSelect;

/** Creates the refunds of a node. */
export function createRefunds({
  db,
  provider,
  log,
  waitMs = 2_000,
  retryAfterMs = 5_000,
  maxAttempts = 12,
}: RefundsOptions): Refunds {
  const delayMs = sql`least(${retryAfterMs}::float8 * power(2, least(${payments.refundAttempts}, 20)), 3600000)`;
  const isDue = eq(payments.status, 'refund-due');

  /** Claims due refunds for this node. Other nodes skip them until their next attempt. */
  function takeDue(): Promise<PaymentRow[]> {
    const due = db
      .select({ id: payments.id })
      .from(payments)
      .where(and(isDue, lte(payments.refundAgainAt, sql`now()`)))
      .orderBy(payments.refundAgainAt)
      .limit(BATCH)
      .for('update', { skipLocked: true });
    return db
      .update(payments)
      .set({
        refundAgainAt: sql`now() + ${delayMs} * interval '1 ms'`,
        refundAttempts: sql`${payments.refundAttempts} + 1`,
      })
      .where(inArray(payments.id, due))
      .returning();
  }

  async function requestRefund(
    from: PaymentProvider,
    payment: PaymentRow,
  ): Promise<RefundOutcome | undefined> {
    try {
      return await withinBudget(from.refund(toCharge(payment)), { budgetMs: waitMs, message: PROVIDER_LATE });
    } catch (err) {
      log.warn({ err, paymentId: payment.id }, 'The provider did not reply to a refund.');
      return undefined;
    }
  }

  async function send(from: PaymentProvider, payment: PaymentRow): Promise<void> {
    const { id: paymentId, refundAttempts } = payment;
    const outcome = await requestRefund(from, payment);
    const isThis = and(eq(payments.id, paymentId), isDue);
    if (outcome === 'sent') {
      await db.update(payments).set({ status: 'refunded', refundAgainAt: null }).where(isThis);
      log.info({ paymentId }, 'The provider has sent a refund.');
    } else if (outcome === 'declined' || refundAttempts >= maxAttempts) {
      await db.update(payments).set({ refundAgainAt: null }).where(isThis);
      log.error({ paymentId, refundAttempts }, 'The provider does not send a refund: a person has to.');
    }
  }

  return {
    async listDue() {
      const rows = await db
        .select({ payment: payments, userId: orders.userId, couponId: orders.couponId })
        .from(payments)
        .innerJoin(orders, eq(orders.id, payments.orderId))
        .where(isDue)
        .orderBy(payments.settledAt)
        .limit(MAX_SHOWN);
      return rows.map(({ payment, ...owner }) => ({
        paymentId: payment.id,
        orderId: payment.orderId,
        ...owner,
        amountCents: payment.amountCents,
        since: (payment.settledAt ?? payment.createdAt).getTime(),
        byHand: provider === undefined || payment.refundAgainAt === null,
        attempts: payment.refundAttempts,
      }));
    },

    async sweepRefunds() {
      if (!provider) return;
      await Promise.all((await takeDue()).map((payment) => send(provider, payment)));
    },

    async markSent({ paymentId, who, why }) {
      await db.transaction(async (tx) => {
        const isByHand = provider ? sql`${payments.refundAgainAt} is null` : undefined;
        const [sent] = await tx
          .update(payments)
          .set({ status: 'refunded', refundAgainAt: null })
          .where(and(eq(payments.id, paymentId), isDue, isByHand))
          .returning({ orderId: payments.orderId, amountCents: payments.amountCents });
        if (sent) {
          await tx.insert(auditLog).values({
            ...{ who, what: 'refund.markSent', target: paymentId, why },
            before: { ...sent, status: 'refund-due' },
            after: { ...sent, status: 'refunded' },
          });
          return;
        }
        const [known] = await tx
          .select({ status: payments.status })
          .from(payments)
          .where(eq(payments.id, paymentId));
        if (!known) throw notFoundError('payment', paymentId);
        if (known.status === 'refund-due')
          throw new AppError('CONFLICT', 'The provider is still trying to send this refund.');
        if (known.status !== 'refunded') throw new AppError('CONFLICT', 'No refund of this payment is due.');
      });
    },
  };
}
