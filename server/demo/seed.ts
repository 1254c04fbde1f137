import type { Db } from '../db/client';
import { coupons, merchants } from '../db/schema';
import { demoCoupons } from './seed-coupons';
import { demoMerchants } from './seed-merchants';

/**
 * Inserts the demo's merchants and coupons. Existing rows stay unchanged, so every start of every node may call it: the
 * sale that starts two minutes after the first start does not start again, and changed prices stay.
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
