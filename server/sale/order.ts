import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { orders } from '../db/schema';
import type { Coupon } from './coupon';

/** An order as its shopper sees it. Instants in epoch ms. */
export interface Order {
  id: string;
  couponId: string;
  userId: string;
  status: OrderStatus;
  createdAt: number;
  confirmedAt?: number | undefined;
  /** The order expires if it is unpaid at this time; absent if there is nothing to pay. */
  holdUntil?: number | undefined;
  /** The code that the shopper shows at the shop; present for confirmed and paid orders. */
  code?: string | undefined;
  /** Status of the last payment; absent if there was none. */
  payment?: PaymentStatus | undefined;
}

/**
 * `pending`: the provider has not decided. `refund-due`: it approved after the order had ended, and the money must be
 * refunded. `refunded`: that is done.
 */
export type PaymentStatus = 'pending' | 'approved' | 'declined' | 'refund-due' | 'refunded';

/** `reserved`: the gate accepted the order. `confirmed`: it is in Postgres and cannot be lost. */
export type OrderStatus = 'reserved' | 'confirmed' | 'paid' | 'cancelled' | 'expired';

/** Returns true for an order that ended without a purchase. Its shopper may buy again. */
export function endedWithoutPurchase({ status }: Pick<Order, 'status'>): boolean {
  return status === 'cancelled' || status === 'expired';
}

/** The columns of an order that its shopper sees. */
export const orderColumns = {
  id: orders.id,
  couponId: orders.couponId,
  userId: orders.userId,
  status: orders.status,
  code: orders.code,
  createdAt: orders.createdAt,
  confirmedAt: orders.confirmedAt,
  holdUntil: orders.holdUntil,
};

/**
 * Selects the orders that must be paid. The bound, long after which every hold has ended, lets Postgres find them by the
 * index of their holds, however many orders there are.
 */
export const isHeld = sql`(${orders.status} = 'confirmed' and ${orders.holdUntil} > now() - interval '1 day')`;

/** The same with the status of the last payment, for reads of a few orders. A batch of the ledger does not need it. */
export const orderColumnsWithPayment = {
  ...orderColumns,
  // Written by hand: in a query of one table, drizzle leaves out the table name, and `id` would be that of payments.
  payment: sql<Order['payment'] | null>`
    (select status from payments where order_id = orders.id order by created_at desc limit 1)`,
};

type Row = { [Column in keyof typeof orderColumns]: (typeof orders.$inferSelect)[Column] } & {
  payment?: Order['payment'] | null;
};

/** Returns a row as its shopper sees it. Only a confirmed or paid order has a code. */
export function toOrder(row: Row): Order {
  const isOpen = row.status === 'confirmed' || row.status === 'paid';
  return {
    id: row.id,
    couponId: row.couponId,
    userId: row.userId,
    status: row.status,
    createdAt: row.createdAt.getTime(),
    confirmedAt: row.confirmedAt?.getTime(),
    holdUntil: row.holdUntil?.getTime(),
    code: isOpen ? row.code : undefined,
    payment: row.payment ?? undefined,
  };
}

/** One call of a shopper to buy a coupon. */
export interface PurchaseRequest {
  kind: Coupon['kind'];
  couponId: string;
  userId: string;
  requestId?: string | undefined;
}

/**
 * Returns the id of the order that a request makes. The same request id always gives the same order id, so the gate and
 * the ledger find the order of a repeated call without another key (docs/decisions/030-one-key-for-a-request-id.md).
 */
export function createOrderId({ kind, couponId, userId, requestId }: PurchaseRequest): string {
  if (requestId === undefined) return randomUUID();
  const text = JSON.stringify(['order', kind, couponId, userId, requestId]);
  return toUuid(createHash('sha256').update(text).digest());
}

/** Returns a UUID of version 8 (RFC 9562, section 5.8): all but 6 bits come from the caller. */
function toUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
