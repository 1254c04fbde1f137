import { and, eq } from 'drizzle-orm';
import type { Db } from '../db/client';
import { auditLog, orders, payments } from '../db/schema';
import { AppError } from '../errors';

/** Money that was taken and buys nothing: a person sends it back, and says so here. */
export interface Refunds {
  /** What has to be sent back, oldest first. */
  due(): Promise<Refund[]>;
  /**
   * Writes down who sent a refund, and tells its shopper. Again, by whomever, it changes nothing: the first to say so
   * sent it. Throws NOT_FOUND where there is no such payment, CONFLICT where none of its money is due back.
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
}

const SHOWN = 200;

export function createRefunds({ db }: { db: Db }): Refunds {
  return {
    async due() {
      const rows = await db
        .select({ payment: payments, userId: orders.userId, couponId: orders.couponId })
        .from(payments)
        .innerJoin(orders, eq(orders.id, payments.orderId))
        .where(eq(payments.status, 'refund-due'))
        .orderBy(payments.settledAt)
        .limit(SHOWN);
      return rows.map(({ payment: { id, orderId, amountCents, settledAt, createdAt }, ...owner }) => ({
        paymentId: id,
        orderId,
        ...owner,
        amountCents,
        since: (settledAt ?? createdAt).getTime(),
      }));
    },

    async markSent({ paymentId, who, why }) {
      await db.transaction(async (tx) => {
        const [sent] = await tx
          .update(payments)
          .set({ status: 'refunded' })
          .where(and(eq(payments.id, paymentId), eq(payments.status, 'refund-due')))
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
        if (known.status !== 'refunded')
          throw new AppError('CONFLICT', 'Nothing of this payment has to be sent back.');
      });
    },
  };
}
