import { and, eq, lt, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../../db/client';
import { orderRequests } from '../../db/schema';
import { AppError } from '../../errors';
import type { Order } from '../order';

/** A call that changes an order, identified by its request id. */
export interface OrderRequest {
  userId: string;
  procedure: 'order.pay' | 'order.cancel';
  requestId: string;
  orderId: string;
}

/** Lifetime of a request id. */
const LIFETIME = sql`interval '24 hours'`;

/**
 * Finds the payment that the first call with this id made or joined, null if it was no payment. Returns undefined for a
 * new id. Throws CONFLICT if the id was used for another order.
 */
export async function findRequest(
  tx: Transaction,
  { userId, procedure, requestId, orderId }: OrderRequest,
): Promise<{ paymentId: string | null } | undefined> {
  const [known] = await tx
    .select({ orderId: orderRequests.orderId, paymentId: orderRequests.paymentId })
    .from(orderRequests)
    .where(
      and(
        eq(orderRequests.userId, userId),
        eq(orderRequests.procedure, procedure),
        eq(orderRequests.requestId, requestId),
        sql`${orderRequests.createdAt} >= now() - ${LIFETIME}`,
      ),
    );
  if (known && known.orderId !== orderId) throw requestIdReusedError();
  return known && { paymentId: known.paymentId };
}

/**
 * Stores an id in the transaction of its change. Throws CONFLICT if a concurrent call has stored the same id for another
 * order.
 */
export async function storeRequest(
  tx: Transaction,
  request: OrderRequest,
  paymentId: string | null = null,
): Promise<void> {
  const stored = await tx
    .insert(orderRequests)
    .values({ ...request, paymentId })
    .onConflictDoUpdate({
      target: [orderRequests.userId, orderRequests.procedure, orderRequests.requestId],
      set: { orderId: request.orderId, paymentId, createdAt: sql`now()` },
      setWhere: sql`${orderRequests.createdAt} < now() - ${LIFETIME}`,
    })
    .returning({ orderId: orderRequests.orderId });
  if (stored.length === 0) throw requestIdReusedError();
}

/** Returns the error for an id that was used with another input. */
export function requestIdReusedError(): AppError {
  return new AppError('CONFLICT', 'This requestId came with another input before. Make a new one.');
}

/** Deletes ids that are older than a day. */
export async function sweepOldRequests(db: Db): Promise<void> {
  await db.delete(orderRequests).where(lt(orderRequests.createdAt, sql`now() - ${LIFETIME}`));
}

/** Returns the error for an order that can be neither paid nor cancelled; `undefined` means that it is not in Postgres. */
export function notHeldError(
  order: { status: Order['status']; holdUntil: Date | null } | undefined,
): AppError {
  return new AppError('CONFLICT', describeReason(order));
}

/** Returns the error for a cancellation while the provider has not decided a payment. */
export function beingPaidError(): AppError {
  return new AppError('CONFLICT', 'A payment of this order is in progress. Try again in a moment.');
}

function describeReason(order: Parameters<typeof notHeldError>[0]): string {
  switch (order?.status) {
    case undefined:
    case 'reserved':
      return 'This order is not confirmed yet.';
    case 'confirmed':
      return order.holdUntil
        ? 'This order was not paid in time.'
        : 'There is nothing to pay for this order: it is final.';
    case 'paid':
      return 'This order is paid, and final.';
    case 'cancelled':
      return 'This order is cancelled.';
    case 'expired':
      return 'This order was not paid in time and has expired.';
  }
}
