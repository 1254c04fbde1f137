import type { Db } from '../db/client';
import { limitPersonOverrides, users } from '../db/schema';
import { sharedSecret } from '../db/shared-secret';
import { maskSubject, pseudonymOf } from '../limiter';

const vip = { id: 'demo-vip', name: 'Vera', isDemo: true };

/** Everyone else has 5 tries in 10 s. */
const VIP_LIMIT = 20;

/**
 * Inserts the demo's VIP with a limit of her own, on the first start only: a limit that an operator removed stays removed.
 * Call it before the node reads the overrides.
 */
export async function seedVip(db: Db): Promise<void> {
  const secret = await sharedSecret(db, 'subjects');
  await db.transaction(async (tx) => {
    const inserted = await tx.insert(users).values(vip).onConflictDoNothing().returning({ id: users.id });
    if (inserted.length === 0) return;
    await tx.insert(limitPersonOverrides).values({
      ...{ policy: 'coupon.seckill', level: 'user', kind: 'numbers', limit: VIP_LIMIT },
      ...{ ref: pseudonymOf(vip.id, secret), subject: maskSubject(vip.id), who: 'demo', why: 'VIP' },
    });
  });
}
