import type { Db } from '../db/client';
import { auditLog } from '../db/schema';
import { AppError } from '../errors';
import type { Limiter } from '../limiter';
import type { Catalogue } from './catalogue';

export interface LiftBanDeps {
  db: Db;
  bans: Limiter['bans'];
  catalogue: Catalogue;
}

/**
 * Ends a ban and writes down who ended it. The record is written first and committed once Redis has lifted, so that a
 * lift which fails leaves no record; one whose answer was lost leaves none either. Throws NOT_FOUND where no such ban
 * stands.
 */
export async function liftBan(
  { db, bans, catalogue }: LiftBanDeps,
  { banId, who }: { banId: string; who: string },
): Promise<void> {
  for (const policy of catalogue) {
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
  return new AppError('NOT_FOUND', 'There is no such ban, or not any more.');
}
