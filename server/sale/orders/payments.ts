import { randomUUID } from 'node:crypto';
import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { RunQueued } from '../../db/call-queue';
import type { Db, Transaction } from '../../db/client';
import { coupons, orders, payments } from '../../db/schema';
import { AppError } from '../../errors';
import { withinBudget } from '../../trpc/within-budget';
import type { Order } from './order';
import { notHeldError } from './order-errors';
import { findRequest, requestIdReusedError, storeRequest } from './order-requests';
import type { Charge, ConnectProvider, PaymentOutcome, PaymentProvider } from './payment';

/** Payments of orders, from the first question to the provider until its outcome is in the ledger. */
export interface Payments {
  /** Undefined where nothing takes money. */
  provider: PaymentProvider | undefined;
  /**
   * Asks the provider for what an order costs, and waits a few seconds for its outcome; what comes later is recorded
   * all the same. The order itself then says what became of it. Throws CONFLICT where it cannot be paid.
   */
  pay(order: Pick<Order, 'id' | 'userId'>, options: PayOptions): Promise<void>;
  /** Asks the provider about payments that nobody has heard of for a while. On any number of nodes at once. */
  sweepPayments(): Promise<void>;
}

export interface PayOptions {
  /** What the provider takes the money from. */
  method: string;
  /** The same id again asks for nothing again. */
  requestId?: string | undefined;
}

export interface PaymentsOptions {
  db: Db;
  /** Runs the change that a call asks for. */
  runChange: RunQueued;
  /** Undefined where nothing takes money: then `pay` answers 503. */
  connectProvider: ConnectProvider | undefined;
  /** Hears of every order that was paid here, once. */
  onPaid: () => void;
  /** Hears of every payment that needs a refund, once. */
  onRefundDue: (paymentId: string) => void;
  log: { warn(fields: object, message: string): void };
  /** How long a call waits for the provider's outcome, in ms; less than `MUTATION_BUDGET_MS`. Default: 2000. */
  waitMs?: number;
  /** How long after the provider was asked it is asked again, in ms; longer than `waitMs`. Default: 5000. */
  retryAfterMs?: number;
}

interface Attempt {
  id: string;
  charge: Charge;
  /** Made by this call: the provider has not been asked yet. */
  isNew: boolean;
}

/** Payments that one look round asks about. */
const BATCH = 50;

export function createPayments({
  db,
  runChange,
  connectProvider,
  onPaid,
  onRefundDue,
  log,
  waitMs = 2_000,
  retryAfterMs: askAgainAfterMs = 5_000,
}: PaymentsOptions): Payments {
  const provider = connectProvider?.(record);
  const askAgainAt = sql`now() + ${askAgainAfterMs}::integer * interval '1 ms'`;

  /** The attempt that this call makes, or the one that it repeats or joins. Undefined where that one is settled. */
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
        return repeated?.status === 'pending' ? attemptOf(repeated) : undefined;
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
            .values({ id: randomUUID(), orderId, amountCents: order.priceCents, method, askAgainAt })
            .returning();
      const payment = pending ?? made;
      if (!payment) throw new Error(`no payment of order ${orderId} could be opened`);
      if (request) await storeRequest(tx, request, payment.id);
      return { ...attemptOf(payment), isNew: made !== undefined };
    };
    return runChange(() => db.transaction(open));
  }

  /** Writes an outcome down, once: a second telling of it, or a contrary one, changes nothing. */
  async function record(paymentId: string, outcome: PaymentOutcome): Promise<void> {
    const became = await db.transaction(async (tx) => {
      const known = await findPayment(tx, paymentId);
      if (!known) return undefined;
      // The order's lock comes first, here as where an attempt is opened.
      await lockOrder(tx, known.orderId);
      const payment = await findPayment(tx, paymentId);
      const status = payment && (await nextStatus(tx, payment, outcome));
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

  /** What is not heard now stays pending, and is asked for again. */
  async function heard<Answer>(paymentId: string, answer: Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await withinBudget(answer, { budgetMs: waitMs });
    } catch (error) {
      log.warn({ err: error, paymentId }, 'The payment provider did not answer; it is asked again.');
      return undefined;
    }
  }

  async function charge({ id, charge }: Attempt): Promise<void> {
    const outcome = provider && (await heard(id, provider.charge(charge)));
    if (outcome) await record(id, outcome);
  }

  async function ask(attempt: Attempt, { mayCharge }: { mayCharge: boolean }): Promise<void> {
    const found = provider && (await heard(attempt.id, provider.find(attempt.charge)));
    switch (found) {
      case undefined:
      case 'pending':
        return;
      case 'unknown':
        // The node that wrote the attempt died before it asked. The key is the same, so no money is taken twice.
        return mayCharge ? charge(attempt) : record(attempt.id, 'declined');
      default:
        return record(attempt.id, found);
    }
  }

  return {
    provider,

    async pay(order, options) {
      const attempt = await openAttempt(order, options);
      if (!attempt) return;
      // Who joins another call's attempt may find that its question has not arrived yet, and leaves it to that call.
      if (attempt.isNew) await charge(attempt);
      else {
        const found = provider && (await heard(attempt.id, provider.find(attempt.charge)));
        if (found === 'approved' || found === 'declined') await record(attempt.id, found);
      }
    },

    async sweepPayments() {
      if (!provider) return;
      const due = db
        .select({ id: payments.id })
        .from(payments)
        .where(and(eq(payments.status, 'pending'), lte(payments.askAgainAt, sql`now()`)))
        .orderBy(payments.askAgainAt)
        .limit(BATCH)
        .for('update', { skipLocked: true });
      // Moved on before it is asked about, so that the other nodes leave it alone meanwhile.
      const taken = await db
        .update(payments)
        .set({ askAgainAt })
        .where(inArray(payments.id, due))
        .returning();
      await Promise.all(
        taken.map(async (payment) =>
          ask(attemptOf(payment), { mayCharge: await isPayable(db, payment.orderId) }),
        ),
      );
    },
  };
}

type PaymentRow = typeof payments.$inferSelect;

const isHeld = sql<boolean>`${orders.status} = 'confirmed' and ${orders.holdUntil} > now()`;

function attemptOf(payment: PaymentRow): Attempt {
  return { id: payment.id, isNew: false, charge: toCharge(payment) };
}

/** The charge of a payment, the same for every call to the provider. */
export function toCharge({ id, amountCents, method, createdAt }: PaymentRow): Charge {
  return { key: id, amountCents, method, requestedAt: createdAt.getTime() };
}

/** Puts whatever is done about one order's payments in a line. */
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

/** What a payment becomes by an outcome; undefined where it stays what it is. Pays its order where that is still held. */
async function nextStatus(
  tx: Transaction,
  { status, orderId }: PaymentRow,
  outcome: PaymentOutcome,
): Promise<PaymentRow['status'] | undefined> {
  if (status !== 'pending' && status !== 'declined') return undefined;
  if (outcome === 'declined') return status === 'pending' ? 'declined' : undefined;
  // Given up before, and approved after all: another attempt may be under way by now.
  if (status === 'declined') return 'refund-due';
  const paid = await tx
    .update(orders)
    .set({ status: 'paid' })
    .where(and(eq(orders.id, orderId), isHeld))
    .returning({ id: orders.id });
  return paid.length > 0 ? 'approved' : 'refund-due';
}
