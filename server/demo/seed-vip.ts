import type { Db } from '../db/client';
import { limitPersonOverrides } from '../db/limit-schema';
import { auditLog, users } from '../db/schema';
import { sharedSecret } from '../db/shared-secret';
import { maskSubject, pseudonymOf } from '../limiter/index';

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
    const subject = maskSubject(vip.id);
    const rule = { kind: 'numbers', limit: VIP_LIMIT } as const;
    const reason = { who: 'demo', why: 'VIP' };
    await tx.insert(limitPersonOverrides).values({
      ...{ policy: 'coupon.seckill', level: 'user', ref: pseudonymOf(vip.id, secret) },
      ...{ subject, ...rule, ...reason },
    });
    await tx.insert(auditLog).values({
      ...{ what: 'limit.person.set', target: `coupon.seckill:user:${subject}`, ...reason },
      ...{ before: {}, after: rule },
    });
  });
}
