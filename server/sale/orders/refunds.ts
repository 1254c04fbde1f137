import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { auditLog, orders, payments } from '../../db/schema';
import { AppError } from '../../errors';
import { withinBudget } from '../../trpc/within-budget';
import type { PaymentProvider, RefundOutcome } from './payment';
import { toCharge } from './payments';

/**
 * Money that was taken and buys nothing. The provider sends it back; where it declines, or fails for hours, a person does
 * and marks it as sent.
 */
export interface Refunds {
  /** Returns the refunds that are not sent yet, oldest first. */
  listDue(): Promise<Refund[]>;
  /** Asks the provider for the refunds whose turn it is. On any number of nodes at once. */
  sweepRefunds(): Promise<void>;
  /**
   * Records who sent a refund by hand. A second call changes nothing: the first sender stays. Throws NOT_FOUND where
   * there is no such payment, CONFLICT where none of its money is due back or the provider is still asked for it.
   */
  markSent(sent: SentRefund): Promise<void>;
}

export interface SentRefund {
  paymentId: string;
  /** The user who sent it. */
  who: string;
  /** Such as the provider's own number of it. */
  why?: string | undefined;
}

export interface Refund {
  paymentId: string;
  orderId: string;
  userId: string;
  couponId: string;
  amountCents: number;
  /** When the provider's approval came too late, in epoch ms. */
  since: number;
  /** A person has to send it: the provider declined, or failed too often. */
  byHand: boolean;
  /** How often the provider was asked. */
  attempts: number;
}

export interface RefundsOptions {
  db: Db;
  /** Undefined where nothing takes money: then every refund is sent by hand. */
  provider: PaymentProvider | undefined;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** How long the provider may take to answer, in ms; less than `retryAfterMs`. Default: 2000. */
  waitMs?: number;
  /** How long after an attempt the next begins, in ms; doubles up to an hour. Default: 5000. */
  retryAfterMs?: number;
  /** Failed attempts after which a person has to send it. Default: 12, which take about three hours. */
  maxAttempts?: number;
}

const SHOWN = 200;
/** Refunds that one run of the job asks for. */
const BATCH = 50;

type PaymentRow = typeof payments.$inferSelect;

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

  /** Takes due refunds for this node. The others leave them alone until the next attempt is due. */
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

  async function ask(from: PaymentProvider, payment: PaymentRow): Promise<RefundOutcome | undefined> {
    try {
      return await withinBudget(from.refund(toCharge(payment)), { budgetMs: waitMs });
    } catch (err) {
      log.warn({ err, paymentId: payment.id }, 'The provider did not answer about a refund.');
      return undefined;
    }
  }

  async function send(from: PaymentProvider, payment: PaymentRow): Promise<void> {
    const { id: paymentId, refundAttempts } = payment;
    const outcome = await ask(from, payment);
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
        .limit(SHOWN);
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
        if (!known) throw new AppError('NOT_FOUND', `There is no payment ${JSON.stringify(paymentId)}.`);
        if (known.status === 'refund-due')
          throw new AppError('CONFLICT', 'The provider is still asked for this refund.');
        if (known.status !== 'refunded')
          throw new AppError('CONFLICT', 'Nothing of this payment has to be sent back.');
      });
    },
  };
}
