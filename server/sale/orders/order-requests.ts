import { and, eq, lt, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../../db/client';
import { orderRequests } from '../../db/schema';
import { AppError } from '../../errors';

/** One call that changes an order, however often it is repeated. */
export interface OrderRequest {
  userId: string;
  procedure: 'order.pay' | 'order.cancel';
  requestId: string;
  orderId: string;
}

/** Ids are kept for a day. */
const KEPT = sql`interval '24 hours'`;

/**
 * The attempt to pay that the first call of this id made or joined, null where it paid nothing; `undefined` where the
 * id is new. Throws CONFLICT where the id came with another order.
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
        sql`${orderRequests.createdAt} >= now() - ${KEPT}`,
      ),
    );
  if (known && known.orderId !== orderId) throw requestIdReusedError();
  return known && { paymentId: known.paymentId };
}

/**
 * Remembers an id, with what its call changes: both are there, or neither. Throws CONFLICT where another call with the
 * same id was quicker by a moment and meant another order.
 */
export async function storeRequest(
  tx: Transaction,
  request: OrderRequest,
  paymentId: string | null = null,
): Promise<void> {
  const kept = await tx
    .insert(orderRequests)
    .values({ ...request, paymentId })
    .onConflictDoUpdate({
      target: [orderRequests.userId, orderRequests.procedure, orderRequests.requestId],
      set: { orderId: request.orderId, paymentId, createdAt: sql`now()` },
      setWhere: sql`${orderRequests.createdAt} < now() - ${KEPT}`,
    })
    .returning({ orderId: orderRequests.orderId });
  if (kept.length === 0) throw requestIdReusedError();
}

/** An id that comes back with another input answers so. */
export function requestIdReusedError(): AppError {
  return new AppError('CONFLICT', 'This requestId came with another input before. Make a new one.');
}

/** Forgets ids that are older than a day. */
export async function sweepOldRequests(db: Db): Promise<void> {
  await db.delete(orderRequests).where(lt(orderRequests.createdAt, sql`now() - ${KEPT}`));
}
