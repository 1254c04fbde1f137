import type { Db } from '../db/client';
import { auditLog } from '../db/schema';
import { EVERYBODY, type Limiter, masked } from '../limiter';
import type { NamedLevel } from './level-of';
import { raiseVersion } from './override-rows';
import type { Tuning } from './tuning';

export interface ClearWindowDeps {
  db: Db;
  limiter: Pick<Limiter, 'clear'>;
  tuning: Pick<Tuning, 'spread'>;
}

export interface ClearWindowOptions extends NamedLevel {
  /** As the level counts it, or its name in keys. */
  subject: string;
  /** The user who empties it. */
  who: string;
}

/**
 * Empties a window, records who emptied it, and voids the denials that the nodes know. All of it is committed once Redis
 * has deleted the window: nodes learn of the new version afterwards, and a failed call leaves no record. Throws
 * `StoreUnavailableError`.
 */
export async function clearWindow(
  { db, limiter, tuning }: ClearWindowDeps,
  { policy, place, declared: { level }, subject, who }: ClearWindowOptions,
): Promise<void> {
  await db.transaction(async (tx) => {
    await raiseVersion(tx, { policy: policy.name, level, who });
    await tx.insert(auditLog).values({
      ...{ who, what: 'limit.clear', target: `${policy.name}:${level}` },
      before: {},
      after: { subject: level === 'global' ? EVERYBODY : masked(subject) },
    });
    await limiter.clear(policy, { place, subject });
  });
  await tuning.spread();
}
