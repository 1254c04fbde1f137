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

/** The same, and what became of the last attempt to pay: for who looks at a few orders, not for a batch of the ledger. */
export const orderColumnsWithPayment = {
  ...orderColumns,
  // In a query of one table drizzle leaves out the table's name, which would be that of payments here.
  payment: sql<Order['payment'] | null>`
    (select status from payments where order_id = orders.id order by created_at desc limit 1)`,
};

type Row = { [Column in keyof typeof orderColumns]: (typeof orders.$inferSelect)[Column] } & {
  payment?: Order['payment'] | null;
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
    confirmedAt: row.confirmedAt?.getTime(),
    holdUntil: row.holdUntil?.getTime(),
    code: isOpen ? row.code : undefined,
    payment: row.payment ?? undefined,
  };
}
