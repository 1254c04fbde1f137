import { and, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm';
import type { RunQueued } from '../../db/call-queue';
import type { Db, Transaction } from '../../db/client';
import { coupons, orders, payments } from '../../db/schema';
import { isUnavailable } from '../../db/unavailable';
import type { AppError } from '../../errors';
import { StoreUnavailableError } from '../../limiter/index';
import type { Restock, StockCompensation } from '../gate/restock';
import type { Order } from '../order';
import { beingPaidError, findRequest, notHeldError, storeRequest } from './order-changes';

/** Ends the holds of unpaid orders. */
export interface Holds {
  /**
   * Cancels an unpaid order for its shopper. A repeated request id changes nothing. Throws CONFLICT if the order cannot be
   * cancelled any more, or while a payment is pending, which would need a refund.
   */
  cancel(order: Pick<Order, 'id' | 'couponId' | 'userId'>, requestId: string | undefined): Promise<void>;
  /** Expires the orders that were not paid in time, each once. Any number of nodes may run it at once. */
  sweepHolds(): Promise<void>;
  /** Sends the stock compensations that are still open, because a node died or a gate was closed. */
  sweepCompensations(): Promise<void>;
}

export interface HoldsOptions {
  db: Db;
  /** Runs the change of a call. */
  runChange: RunQueued;
  restock: Restock;
  /** Called once with the orders that a transaction has ended, after their stock was sent to the gate. */
  onEnded: (status: EndStatus, orders: readonly Order[]) => void;
}

type EndStatus = 'cancelled' | 'expired';

/** Orders per transaction, during which the coupon's row is locked. */
const BATCH = 200;

/** Creates the holds of a node. */
export function createHolds({ db, runChange, restock, onEnded }: HoldsOptions): Holds {
  /**
   * Sends stock compensations after the transaction that made them. Those that fail stay for the sweep. Returns the ids of
   * orders whose gate is closed.
   */
  async function sendCompensations(compensations: readonly StockCompensation[]): Promise<string[]> {
    try {
      const restocked = await Promise.all(compensations.map(restock));
      const idsWhere = (isRestocked: boolean) =>
        compensations.filter((_one, index) => restocked[index] === isRestocked).map(({ orderId }) => orderId);
      await clearCompensations(idsWhere(true));
      return idsWhere(false);
    } catch (error) {
      if (error instanceof StoreUnavailableError || isUnavailable(error)) return [];
      throw error;
    }
  }

  async function clearCompensations(orderIds: string[]): Promise<void> {
    if (orderIds.length === 0) return;
    await db.update(orders).set({ compensationGeneration: null }).where(inArray(orders.id, orderIds));
  }

  /** Expires the orders of one coupon, so that a batch locks one coupon. */
  async function expireOrders(couponId: string): Promise<void> {
    for (;;) {
      const ended = await db.transaction(async (tx) =>
        endOrders(tx, {
          coupon: await lockCoupon(tx, couponId),
          status: 'expired',
          which: sql`${orders.holdUntil} <= now()`,
        }),
      );
      if (ended.orders.length === 0) return;
      await sendCompensations(ended.compensations);
      onEnded('expired', ended.orders);
    }
  }

  return {
    async cancel({ id, couponId, userId }, requestId) {
      const request = requestId && { userId, procedure: 'order.cancel' as const, requestId, orderId: id };
      const ended = await runChange(() =>
        db.transaction(async (tx) => {
          const coupon = await lockCoupon(tx, couponId);
          // Read under the coupon's lock, so that the second of two calls with one id sees the first.
          if (request && (await findRequest(tx, request))) return undefined;
          if (await isBeingPaid(tx, id)) throw beingPaidError();
          const found = await endOrders(tx, {
            coupon,
            status: 'cancelled',
            which: and(eq(orders.id, id), eq(orders.userId, userId), sql`${orders.holdUntil} > now()`),
          });
          if (found.orders.length === 0) throw await toCancelError(tx, id);
          if (request) await storeRequest(tx, request);
          return found;
        }),
      );
      if (!ended) return;
      await sendCompensations(ended.compensations);
      onEnded('cancelled', ended.orders);
    },

    async sweepHolds() {
      const due = await db
        .selectDistinct({ couponId: orders.couponId })
        .from(orders)
        .where(and(eq(orders.status, 'confirmed'), lte(orders.holdUntil, sql`now()`)));
      for (const { couponId } of due) await expireOrders(couponId);
    },

    async sweepCompensations() {
      // One coupon at a time, so that a closed gate delays no other.
      const open = await db
        .selectDistinct({ couponId: orders.couponId })
        .from(orders)
        .where(isNotNull(orders.compensationGeneration));
      for (const { couponId } of open) {
        const left = await sendCompensations(await findCompensations(db, couponId));
        // The gate of an ended sale sells nothing. If it ever opens again, it opens from this ledger.
        if (left.length > 0 && (await hasEnded(db, couponId))) await clearCompensations(left);
      }
    },
  };
}

interface LockedCoupon {
  id: string;
  generation: number;
  stock: number | null;
}

/**
 * Locks a coupon before its orders, as every batch and rebuild does, so the gate of the returned generation still counts
 * these orders.
 */
async function lockCoupon(tx: Transaction, couponId: string): Promise<LockedCoupon> {
  const { id, generation, stock } = coupons;
  const [coupon] = await tx
    .select({ id, generation, stock })
    .from(coupons)
    .where(eq(id, couponId))
    .for('update');
  if (!coupon) throw new Error(`there are orders of ${couponId}, but no such coupon`);
  return coupon;
}

/** Locks the order. Returns true if the provider has not decided a payment of it. */
async function isBeingPaid(tx: Transaction, orderId: string): Promise<boolean> {
  await tx.select({ id: orders.id }).from(orders).where(eq(orders.id, orderId)).for('update');
  // A separate statement, which sees the writes of the transaction that held the lock.
  const pending = await tx
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.orderId, orderId), eq(payments.status, 'pending')));
  return pending.length > 0;
}

/** Ends unpaid orders of one locked coupon and returns their stock to the ledger. */
async function endOrders(
  tx: Transaction,
  { coupon, status, which }: { coupon: LockedCoupon; status: EndStatus; which: ReturnType<typeof and> },
): Promise<{ orders: Order[]; compensations: StockCompensation[] }> {
  const couponId = coupon.id;
  const compensationGeneration = coupon.stock === null ? null : coupon.generation;
  const due = tx
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.couponId, couponId), eq(orders.status, 'confirmed'), which))
    .orderBy(orders.holdUntil)
    .limit(BATCH)
    .for('update', status === 'expired' ? { skipLocked: true } : {});
  const ended = await tx
    .update(orders)
    .set({ status, compensationGeneration })
    .where(and(inArray(orders.id, due), eq(orders.status, 'confirmed')))
    .returning({ id: orders.id, userId: orders.userId, createdAt: orders.createdAt });

  if (ended.length > 0)
    await tx
      .update(coupons)
      .set({ sold: sql`${coupons.sold} - ${ended.length}`, soldOutAt: null })
      .where(eq(coupons.id, couponId));
  return {
    orders: ended.map(({ createdAt, ...order }) => ({
      ...{ ...order, couponId, status },
      createdAt: createdAt.getTime(),
    })),
    compensations:
      compensationGeneration === null
        ? []
        : ended.map(({ id, userId }) => ({
            couponId,
            userId,
            orderId: id,
            generation: compensationGeneration,
          })),
  };
}

async function findCompensations(db: Db, couponId: string): Promise<StockCompensation[]> {
  const rows = await db
    .select({ orderId: orders.id, userId: orders.userId, generation: orders.compensationGeneration })
    .from(orders)
    .where(and(eq(orders.couponId, couponId), isNotNull(orders.compensationGeneration)))
    .limit(BATCH);
  return rows.map(({ generation, ...row }) => ({ ...row, couponId, generation: generation ?? 0 }));
}

async function hasEnded(db: Db, couponId: string): Promise<boolean> {
  const [coupon] = await db
    .select({ hasEnded: sql<boolean>`${coupons.endsAt} <= now()` })
    .from(coupons)
    .where(eq(coupons.id, couponId));
  return coupon?.hasEnded ?? true;
}

async function toCancelError(tx: Transaction, id: string): Promise<AppError> {
  const [order] = await tx
    .select({ status: orders.status, holdUntil: orders.holdUntil })
    .from(orders)
    .where(eq(orders.id, id));
  return notHeldError(order);
}
