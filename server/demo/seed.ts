import type { Db } from '../db/client';
import { coupons, merchants } from '../db/schema';
import { demoCoupons } from './seed-coupons';
import { demoMerchants } from './seed-merchants';

/**
 * Fills an empty shop. What is there already stays as it is, so every start may call this, on any number of nodes at
 * once: the sale that begins two minutes after the first start does not begin anew, and prices do not flip back.
 */
export async function seedDemo(db: Db, { now }: { now: number }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .insert(merchants)
      .values([...demoMerchants])
      .onConflictDoNothing();
    await tx.insert(coupons).values(demoCoupons(now)).onConflictDoNothing();
  });
}
