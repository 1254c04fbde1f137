import type { Db } from '../server/db/client';
import type { orders } from '../server/db/schema';
import { waitUntil } from './wait-until';

/** Reads the confirmed orders of a coupon from Postgres. */
export function confirmedOrders(db: Db, couponId: string): Promise<(typeof orders.$inferSelect)[]> {
  return db.query.orders.findMany({
    where: (row, { and, eq }) => and(eq(row.couponId, couponId), eq(row.status, 'confirmed')),
  });
}

/** Waits until Postgres has this number of confirmed orders of a coupon. */
export async function untilConfirmed(
  db: Db,
  { couponId, count }: { couponId: string; count: number },
): Promise<void> {
  await waitUntil(async () => (await confirmedOrders(db, couponId)).length === count);
}
