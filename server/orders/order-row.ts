import { orders } from '../db/schema';
import type { Order } from './order';

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

type Row = {
  [Column in keyof typeof orderColumns]: (typeof orders.$inferSelect)[Column];
};

/** A row of the ledger as its shopper sees it. A cancelled order has no code: nothing can be had for it. */
export function toOrder(row: Row): Order {
  const isOpen = row.status === 'confirmed' || row.status === 'paid';
  return {
    id: row.id,
    couponId: row.couponId,
    userId: row.userId,
    status: row.status,
    createdAt: row.createdAt.getTime(),
    ...(row.confirmedAt && { confirmedAt: row.confirmedAt.getTime() }),
    ...(row.holdUntil && { holdUntil: row.holdUntil.getTime() }),
    ...(isOpen && { code: row.code }),
  };
}
