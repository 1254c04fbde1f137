import { sql } from 'drizzle-orm';
import { orders } from '../../db/schema';
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
