import { vi } from 'vitest';
import type { Db } from '../server/db/client';
import type { orders } from '../server/db/schema';

/** Reads the confirmed orders of a coupon from Postgres. */
export function confirmedOrders(db: Db, couponId: string): Promise<(typeof orders.$inferSelect)[]> {
  return db.query.orders.findMany({
    where: (row, { and, eq }) => and(eq(row.couponId, couponId), eq(row.status, 'confirmed')),
  });
}

/** Waits until Postgres has this number of confirmed orders of a coupon, at most 10 s. */
export async function untilConfirmed(
  db: Db,
  { couponId, count }: { couponId: string; count: number },
): Promise<void> {
  await vi.waitUntil(async () => (await confirmedOrders(db, couponId)).length === count, {
    timeout: 10_000,
    interval: 20,
  });
}
