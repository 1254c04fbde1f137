import { and, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm';
import type { RunQueued } from '../../db/call-queue';
import type { Db, Transaction } from '../../db/client';
import { coupons, orders, payments } from '../../db/schema';
import { isUnavailable } from '../../db/unavailable';
import type { AppError } from '../../errors';
import { StoreUnavailableError } from '../../limiter';
import type { Restock, StockCompensation } from '../gate/restock';
import type { Order } from './order';
import { beingPaidError, notHeldError } from './order-errors';
import { findRequest, storeRequest } from './order-requests';

/** What ends a hold without payment. */
export interface Holds {
  /**
   * Ends an unpaid order for its shopper. The same request id again changes nothing. Throws CONFLICT where the order
   * cannot be cancelled any more, or while a payment of it is under way: its money would have to be sent back.
   */
  cancel(order: Pick<Order, 'id' | 'couponId' | 'userId'>, requestId: string | undefined): Promise<void>;
  /** Ends the orders that were not paid in time. On any number of nodes at once; each order ends once. */
  sweepHolds(): Promise<void>;
  /** Gives gates the stock that they are owed, for what a node that died in between has left. */
  sweepCompensations(): Promise<void>;
}

export interface HoldsOptions {
  db: Db;
  /** Runs the change that a call asks for. */
  runChange: RunQueued;
  restock: Restock;
  /** Called once for the orders that one transaction has ended here, after their stock was sent to the gate. */
  onEnded: (status: EndStatus, orders: readonly Order[]) => void;
}

type EndStatus = 'cancelled' | 'expired';

/** Orders to a transaction: a coupon's row is locked meanwhile. */
const BATCH = 200;

export function createHolds({ db, runChange, restock, onEnded }: HoldsOptions): Holds {
  /**
   * Debts are settled after the transaction that made them; what fails now is left for the sweep. Answers the orders
   * whose gate is closed.
   */
  async function settle(debts: readonly StockCompensation[]): Promise<string[]> {
    try {
      const given = await Promise.all(debts.map(restock));
      const idsWhere = (isGiven: boolean) =>
        debts.filter((_debt, place) => given[place] === isGiven).map(({ orderId }) => orderId);
      await forget(idsWhere(true));
      return idsWhere(false);
    } catch (error) {
      if (error instanceof StoreUnavailableError || isUnavailable(error)) return [];
      throw error;
    }
  }

  async function forget(orderIds: string[]): Promise<void> {
    if (orderIds.length === 0) return;
    await db.update(orders).set({ gateOwed: null }).where(inArray(orders.id, orderIds));
  }

  /** Of one coupon, and not of the whole table, so that a batch locks one coupon. */
  async function expireDueOf(couponId: string): Promise<void> {
    for (;;) {
      const ended = await db.transaction(async (tx) =>
        endOrders(tx, {
          coupon: await lockCoupon(tx, couponId),
          status: 'expired',
          which: sql`${orders.holdUntil} <= now()`,
        }),
      );
      if (ended.orders.length === 0) return;
      await settle(ended.owed);
      onEnded('expired', ended.orders);
    }
  }

  return {
    async cancel({ id, couponId, userId }, requestId) {
      const request = requestId && { userId, procedure: 'order.cancel' as const, requestId, orderId: id };
      const ended = await runChange(() =>
        db.transaction(async (tx) => {
          const coupon = await lockCoupon(tx, couponId);
          // Read after the coupon's lock, so that of two calls with one id the second sees the first.
          if (request && (await findRequest(tx, request))) return undefined;
          if (await isBeingPaid(tx, id)) throw beingPaidError();
          const found = await endOrders(tx, {
            coupon,
            status: 'cancelled',
            which: and(eq(orders.id, id), eq(orders.userId, userId), sql`${orders.holdUntil} > now()`),
          });
          if (found.orders.length === 0) throw await cannotBeCancelled(tx, id);
          if (request) await storeRequest(tx, request);
          return found;
        }),
      );
      if (!ended) return;
      await settle(ended.owed);
      onEnded('cancelled', ended.orders);
    },

    async sweepHolds() {
      const due = await db
        .selectDistinct({ couponId: orders.couponId })
        .from(orders)
        .where(and(eq(orders.status, 'confirmed'), lte(orders.holdUntil, sql`now()`)));
      for (const { couponId } of due) await expireDueOf(couponId);
    },

    async sweepCompensations() {
      // Coupon by coupon: one whose gate stays closed keeps no other waiting.
      const owing = await db
        .selectDistinct({ couponId: orders.couponId })
        .from(orders)
        .where(isNotNull(orders.gateOwed));
      for (const { couponId } of owing) {
        const left = await settle(await owedBy(db, couponId));
        // A gate that is gone with its sale sells nothing; should it ever open again, then from this ledger.
        if (left.length > 0 && (await isOver(db, couponId))) await forget(left);
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
 * Locks a coupon before its orders, as every batch and rebuild does: the generation that is read is the one whose gate
 * still counts these orders.
 */
async function lockCoupon(tx: Transaction, couponId: string): Promise<LockedCoupon> {
  const { id, generation, stock } = coupons;
  const [coupon] = await tx
    .select({ id, generation, stock })
    .from(coupons)
    .where(eq(id, couponId))
    .for('update');
  if (!coupon) throw new Error(`there are orders of ${couponId}, and there is no such coupon`);
  return coupon;
}

/** Locks the order and returns whether the provider has yet to decide a payment of it. */
async function isBeingPaid(tx: Transaction, orderId: string): Promise<boolean> {
  await tx.select({ id: orders.id }).from(orders).where(eq(orders.id, orderId)).for('update');
  // A statement of its own: it sees what the transaction wrote that this one waited for.
  const pending = await tx
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.orderId, orderId), eq(payments.status, 'pending')));
  return pending.length > 0;
}

interface Ending {
  coupon: LockedCoupon;
  status: EndStatus;
  which: ReturnType<typeof and>;
}

/** Ends unpaid orders of one locked coupon and takes their stock back into the ledger. */
async function endOrders(
  tx: Transaction,
  { coupon, status, which }: Ending,
): Promise<{ orders: Order[]; owed: StockCompensation[] }> {
  const couponId = coupon.id;
  const gateOwed = coupon.stock === null ? null : coupon.generation;
  const due = tx
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.couponId, couponId), eq(orders.status, 'confirmed'), which))
    .orderBy(orders.holdUntil)
    .limit(BATCH)
    .for('update', status === 'expired' ? { skipLocked: true } : {});
  const ended = await tx
    .update(orders)
    .set({ status, gateOwed })
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
    owed:
      gateOwed === null
        ? []
        : ended.map(({ id, userId }) => ({ couponId, userId, orderId: id, generation: gateOwed })),
  };
}

async function owedBy(db: Db, couponId: string): Promise<StockCompensation[]> {
  const rows = await db
    .select({ orderId: orders.id, userId: orders.userId, generation: orders.gateOwed })
    .from(orders)
    .where(and(eq(orders.couponId, couponId), isNotNull(orders.gateOwed)))
    .limit(BATCH);
  return rows.map(({ generation, ...row }) => ({ ...row, couponId, generation: generation ?? 0 }));
}

async function isOver(db: Db, couponId: string): Promise<boolean> {
  const [coupon] = await db
    .select({ isOver: sql<boolean>`${coupons.endsAt} <= now()` })
    .from(coupons)
    .where(eq(coupons.id, couponId));
  return coupon?.isOver ?? true;
}

async function cannotBeCancelled(tx: Transaction, id: string): Promise<AppError> {
  const [order] = await tx
    .select({ status: orders.status, holdUntil: orders.holdUntil })
    .from(orders)
    .where(eq(orders.id, id));
  return notHeldError(order);
}
