import type { Db } from '../db/client';
import { auditLog } from '../db/schema';
import { GLOBAL_SUBJECT, type Limiter, ownerOf } from '../limiter/index';
import type { FleetOverrides } from './fleet-overrides';
import { incrementVersion } from './override-rows';
import type { NamedLevel } from './policy-registry';

export interface ClearWindowOnAllNodesOptions {
  db: Db;
  limiter: Pick<Limiter, 'clear'>;
  overrides: Pick<FleetOverrides, 'publishOverrides'>;
}

export interface NamedWindow extends NamedLevel {
  /** The subject as the level counts it, or its pseudonym, which `/ops` has as `ref`. */
  subject: string;
  /** The masked subject, for the audit log. */
  masked: string;
  /** Id of the user who clears it. */
  who: string;
}

/**
 * Clears a window, writes the audit log, and voids the cached denials of all nodes. The transaction commits after Redis
 * has deleted the window, so a failed call leaves no record, and nodes see the new version afterwards. Throws
 * `StoreUnavailableError`.
 */
export async function clearWindowOnAllNodes(
  { db, limiter, overrides }: ClearWindowOnAllNodesOptions,
  { policy, declared, subject, masked, who }: NamedWindow,
): Promise<void> {
  const { level } = declared;
  const owner = ownerOf(policy, declared);
  await db.transaction(async (tx) => {
    await incrementVersion(tx, { policy: owner, level, who });
    await tx.insert(auditLog).values({
      ...{ who, what: 'limit.clear', target: `${owner}:${level}` },
      before: {},
      after: { subject: level === 'global' ? GLOBAL_SUBJECT : masked },
    });
    await limiter.clear(policy, { level, subject });
  });
  await overrides.publishOverrides();
}
