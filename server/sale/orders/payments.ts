import { randomUUID } from 'node:crypto';
import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { RunQueued } from '../../db/call-queue';
import type { Db, Transaction } from '../../db/client';
import { coupons, orders, payments } from '../../db/schema';
import { AppError } from '../../errors';
import type { Log } from '../../observability/log';
import { withinBudget } from '../../trpc/deadline';
import type { Order } from '../order';
import { findRequest, notHeldError, requestIdReusedError, storeRequest } from './order-changes';
import {
  type Charge,
  type ConnectProvider,
  type PaymentOutcome,
  type PaymentProvider,
  PROVIDER_LATE,
} from './payment-provider';

/** Payments of orders, from the request to the provider until its outcome is in Postgres. */
export interface Payments {
  /** Undefined without a payment provider. */
  provider: PaymentProvider | undefined;
  /**
   * Charges the price of an order and waits a few seconds for the outcome. A later outcome is recorded too. Read the order
   * for the result. Throws CONFLICT if the order cannot be paid.
   */
  pay(order: Pick<Order, 'id' | 'userId'>, options: PayOptions): Promise<void>;
  /** Finds the outcomes of payments that are still pending. Any number of nodes may run it at once. */
  sweepPayments(): Promise<void>;
}

export interface PayOptions {
  /** The means of payment. */
  method: string;
  /** A repeated id charges nothing again. */
  requestId?: string | undefined;
}

export interface PaymentsOptions {
  db: Db;
  /** Runs the change of a call. */
  runChange: RunQueued;
  /** Without it `pay` answers 503. */
  connectProvider: ConnectProvider | undefined;
  /** Called once for every order that this node has marked as paid. */
  onPaid: () => void;
  /** Called once for every payment that needs a refund. */
  onRefundDue: (paymentId: string) => void;
  log: Pick<Log, 'warn'>;
  /** Wait of a call for the provider's outcome, in ms; less than `MUTATION_BUDGET_MS`. Default: 2000. */
  waitMs?: number;
  /** Delay between two requests about one payment, in ms; more than `waitMs`. Default: 5000. */
  retryAfterMs?: number;
}

interface Attempt {
  id: string;
  charge: Charge;
  /** Made by this call: nothing was sent to the provider yet. */
  isNew: boolean;
}

/** Payments per run of the job. */
const BATCH = 50;

/** Creates the payments of a node. */
export function createPayments({
  db,
  runChange,
  connectProvider,
  onPaid,
  onRefundDue,
  log,
  waitMs = 2_000,
  retryAfterMs = 5_000,
}: PaymentsOptions): Payments {
  const provider = connectProvider?.(recordOutcome);
  const nextQueryAt = sql`now() + ${retryAfterMs}::integer * interval '1 ms'`;

  /** Returns the attempt that this call makes, repeats or joins; undefined if it is settled. */
  function openAttempt(
    { id: orderId, userId }: Pick<Order, 'id' | 'userId'>,
    { method, requestId }: PayOptions,
  ): Promise<Attempt | undefined> {
    const request = requestId && { userId, procedure: 'order.pay' as const, requestId, orderId };
    const open = async (tx: Transaction) => {
      const order = await lockOrder(tx, orderId);
      const replayed = request && (await findRequest(tx, request));
      if (replayed) {
        const repeated = await findPayment(tx, replayed.paymentId ?? '');
        if (repeated && repeated.method !== method) throw requestIdReusedError();
        return repeated?.status === 'pending' ? toAttempt(repeated) : undefined;
      }
      if (!order?.isHeld) throw notHeldError(order);
      if (!provider)
        throw new AppError('SERVICE_UNAVAILABLE', 'Payments are not set up here. Nothing was charged.');

      const [pending] = await tx
        .select()
        .from(payments)
        .where(and(eq(payments.orderId, orderId), eq(payments.status, 'pending')));
      const [made] = pending
        ? []
        : await tx
            .insert(payments)
            .values({ id: randomUUID(), orderId, amountCents: order.priceCents, method, nextQueryAt })
            .returning();
      const payment = pending ?? made;
      if (!payment) throw new Error(`no payment of order ${orderId} could be opened`);
      if (request) await storeRequest(tx, request, payment.id);
      return { ...toAttempt(payment), isNew: made !== undefined };
    };
    return runChange(() => db.transaction(open));
  }

  /** Writes an outcome once: a repeated or contrary one changes nothing. */
  async function recordOutcome(paymentId: string, outcome: PaymentOutcome): Promise<void> {
    const became = await db.transaction(async (tx) => {
      const known = await findPayment(tx, paymentId);
      if (!known) return undefined;
      // The order's lock comes first, as in `openAttempt`.
      await lockOrder(tx, known.orderId);
      const payment = await findPayment(tx, paymentId);
      const status = payment && (await applyOutcome(tx, payment, outcome));
      if (!status) return undefined;
      const refundAgainAt = status === 'refund-due' ? sql`now()` : null;
      await tx
        .update(payments)
        .set({ status, refundAgainAt, settledAt: sql`now()` })
        .where(eq(payments.id, paymentId));
      return status;
    });
    if (became === 'approved') onPaid();
    if (became === 'refund-due') onRefundDue(paymentId);
  }

  /** Returns undefined if the provider does not reply in time. The payment stays pending, and the job repeats the request. */
  async function awaitReply<Reply>(paymentId: string, reply: Promise<Reply>): Promise<Reply | undefined> {
    try {
      return await withinBudget(reply, { budgetMs: waitMs, message: PROVIDER_LATE });
    } catch (error) {
      log.warn(
        { err: error, paymentId },
        'The payment provider did not reply. The request will be repeated.',
      );
      return undefined;
    }
  }

  async function charge({ id, charge }: Attempt): Promise<void> {
    const outcome = provider && (await awaitReply(id, provider.charge(charge)));
    if (outcome) await recordOutcome(id, outcome);
  }

  async function findOutcome(attempt: Attempt, { mayCharge }: { mayCharge: boolean }): Promise<void> {
    const found = provider && (await awaitReply(attempt.id, provider.find(attempt.charge)));
    switch (found) {
      case undefined:
      case 'pending':
        return;
      case 'unknown':
        // The node that wrote the attempt died before it sent the charge. The key is the same, so no money is taken twice.
        return mayCharge ? charge(attempt) : recordOutcome(attempt.id, 'declined');
      default:
        return recordOutcome(attempt.id, found);
    }
  }

  return {
    provider,

    async pay(order, options) {
      const attempt = await openAttempt(order, options);
      if (!attempt) return;
      // The charge of a joined attempt may not have reached the provider yet. Then it is left to the call that made it.
      if (attempt.isNew) await charge(attempt);
      else {
        const found = provider && (await awaitReply(attempt.id, provider.find(attempt.charge)));
        if (found === 'approved' || found === 'declined') await recordOutcome(attempt.id, found);
      }
    },

    async sweepPayments() {
      if (!provider) return;
      const due = db
        .select({ id: payments.id })
        .from(payments)
        .where(and(eq(payments.status, 'pending'), lte(payments.nextQueryAt, sql`now()`)))
        .orderBy(payments.nextQueryAt)
        .limit(BATCH)
        .for('update', { skipLocked: true });
      // Postponed before the request, so that other nodes skip these payments.
      const taken = await db
        .update(payments)
        .set({ nextQueryAt })
        .where(inArray(payments.id, due))
        .returning();
      await Promise.all(
        taken.map(async (payment) =>
          findOutcome(toAttempt(payment), { mayCharge: await isPayable(db, payment.orderId) }),
        ),
      );
    },
  };
}

type PaymentRow = typeof payments.$inferSelect;

const isHeld = sql<boolean>`${orders.status} = 'confirmed' and ${orders.holdUntil} > now()`;

function toAttempt(payment: PaymentRow): Attempt {
  return { id: payment.id, isNew: false, charge: toCharge(payment) };
}

/** Returns the charge of a payment, the same for every request to the provider. */
export function toCharge({ id, amountCents, method, createdAt }: PaymentRow): Charge {
  return { key: id, amountCents, method, requestedAt: createdAt.getTime() };
}

/** Locks the order, so that changes of its payments run one after the other. */
async function lockOrder(tx: Transaction, orderId: string) {
  const [order] = await tx
    .select({
      status: orders.status,
      holdUntil: orders.holdUntil,
      isHeld: sql<boolean>`coalesce(${isHeld}, false)`,
      priceCents: coupons.priceCents,
    })
    .from(orders)
    .innerJoin(coupons, eq(coupons.id, orders.couponId))
    .where(eq(orders.id, orderId))
    .for('update', { of: orders });
  return order;
}

async function findPayment(tx: Transaction, id: string): Promise<PaymentRow | undefined> {
  const [payment] = await tx.select().from(payments).where(eq(payments.id, id));
  return payment;
}

async function isPayable(db: Db, orderId: string): Promise<boolean> {
  const found = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.id, orderId), isHeld));
  return found.length > 0;
}

/** Returns the status of a payment after an outcome; undefined if it stays. Marks the order as paid if it still has a hold. */
async function applyOutcome(
  tx: Transaction,
  { status, orderId }: PaymentRow,
  outcome: PaymentOutcome,
): Promise<PaymentRow['status'] | undefined> {
  if (status !== 'pending' && status !== 'declined') return undefined;
  if (outcome === 'declined') return status === 'pending' ? 'declined' : undefined;
  // Approved after it was given up: another attempt may be running now.
  if (status === 'declined') return 'refund-due';
  const paid = await tx
    .update(orders)
    .set({ status: 'paid' })
    .where(and(eq(orders.id, orderId), isHeld))
    .returning({ id: orders.id });
  return paid.length > 0 ? 'approved' : 'refund-due';
}
