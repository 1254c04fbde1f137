import type { Db } from '../db/client';
import { auditLog } from '../db/schema';
import { AppError } from '../errors';
import type { Limiter } from '../limiter';
import type { PolicyRegistry } from './policy-registry';

export interface LiftBanDeps {
  db: Db;
  bans: Limiter['bans'];
  policies: PolicyRegistry;
}

/**
 * Lifts a ban and writes the audit log. The record is committed after Redis has lifted the ban, so a failed lift leaves
 * no record. A lift whose reply was lost leaves none either. Throws NOT_FOUND if the ban is not active.
 */
export async function liftBan(
  { db, bans, policies }: LiftBanDeps,
  { banId, who }: { banId: string; who: string },
): Promise<void> {
  for (const policy of policies) {
    const ban = (await bans.list(policy)).find((one) => one.banId === banId);
    if (!ban) continue;
    const { level, subject, bannedUntil, violations } = ban;
    return db.transaction(async (tx) => {
      await tx.insert(auditLog).values({
        ...{ who, what: 'ban.lift', target: `${policy.name}:${level}` },
        before: { subject, bannedUntil, violations },
        after: {},
      });
      if (!(await bans.lift(policy, banId))) throw noSuchBan();
    });
  }
  throw noSuchBan();
}

function noSuchBan(): AppError {
  return new AppError('NOT_FOUND', 'This ban does not exist, or it has ended.');
}
