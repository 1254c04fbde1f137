import type { Db } from '../db/client';
import { auditLog } from '../db/schema';
import { GLOBAL_SUBJECT, type Limiter, maskSubject } from '../limiter';
import type { NamedLevel } from './find-level';
import { incrementVersion } from './override-rows';
import type { Overrides } from './overrides';

export interface ClearWindowDeps {
  db: Db;
  limiter: Pick<Limiter, 'clear'>;
  overrides: Pick<Overrides, 'publishOverrides'>;
}

export interface ClearWindowOptions extends NamedLevel {
  /** The subject as the level counts it, or its name in keys. */
  subject: string;
  /** Id of the user who clears it. */
  who: string;
}

/**
 * Clears a window, writes the audit log, and voids the cached denials of all nodes. The transaction commits after Redis
 * has deleted the window, so a failed call leaves no record, and nodes see the new version afterwards. Throws
 * `StoreUnavailableError`.
 */
export async function clearWindow(
  { db, limiter, overrides }: ClearWindowDeps,
  { policy, index, declared: { level }, subject, who }: ClearWindowOptions,
): Promise<void> {
  await db.transaction(async (tx) => {
    await incrementVersion(tx, { policy: policy.name, level, who });
    await tx.insert(auditLog).values({
      ...{ who, what: 'limit.clear', target: `${policy.name}:${level}` },
      before: {},
      after: { subject: level === 'global' ? GLOBAL_SUBJECT : maskSubject(subject) },
    });
    await limiter.clear(policy, { index: index, subject });
  });
  await overrides.publishOverrides();
}
