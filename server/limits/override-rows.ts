import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { limitOverrides } from '../db/limit-schema';
import { auditLog } from '../db/schema';
import type { Override } from '../limiter/index';

/** Returns the sum of all versions. It increases with each committed change of any level. */
export async function countChanges(db: Db): Promise<number> {
  const [row] = await db
    .select({ changes: sql<number>`coalesce(sum(${limitOverrides.version}), 0)::integer` })
    .from(limitOverrides);
  return row?.changes ?? 0;
}

/** Reads all overrides, including levels that were reset. */
export async function readOverrides(db: Db): Promise<Override[]> {
  const rows = await db
    .select(overrideColumns)
    .from(limitOverrides)
    .where(gt(limitOverrides.version, 0))
    .orderBy(asc(limitOverrides.policy), asc(limitOverrides.level));
  return rows.map(toOverride);
}

/** Increments the version of a level, so that every node reads what changed and voids its cached denials. Returns it. */
export async function incrementVersion(
  db: Pick<Db, 'insert'>,
  { policy, level, who }: { policy: string; level: string; who: string },
): Promise<number> {
  const [row] = await db
    .insert(limitOverrides)
    .values({ policy, level, version: 1, who })
    .onConflictDoUpdate({
      target: [limitOverrides.policy, limitOverrides.level],
      set: { version: sql`${limitOverrides.version} + 1` },
    })
    .returning({ version: limitOverrides.version });
  if (!row) throw new Error(`Postgres returned no version of ${policy}:${level}`);
  return row.version;
}

/** One change of one level, with its fields for the audit log. */
export interface OverrideChange {
  policy: string;
  level: string;
  /** Id of the user who makes the change. */
  who: string;
  /** Name of the procedure. */
  what: string;
  why?: string | undefined;
  /** Returns the fields for the audit log. Default: all. */
  audited?: (override: Override) => object;
  /** Returns the new override without its version, or the same object for no change. May throw. */
  change: (before: Override) => Override;
}

/**
 * Changes an override and writes the audit log, in one transaction. The row lock serializes the changes of one level, so
 * each sees the previous one and no version is used twice.
 */
export function changeOverride(
  db: Db,
  { policy, level, who, what, why, audited = auditedFields, change }: OverrideChange,
): Promise<Override> {
  return db.transaction(async (tx) => {
    const isThisLevel = and(eq(limitOverrides.policy, policy), eq(limitOverrides.level, level));
    await tx.insert(limitOverrides).values({ policy, level, version: 0, who }).onConflictDoNothing();
    const [row] = await tx.select(overrideColumns).from(limitOverrides).where(isThisLevel).for('update');
    if (!row) throw new Error(`the override of ${policy}:${level} was deleted while it was changed`);

    const before = toOverride(row);
    const changed = change(before);
    if (changed === before) return before;
    const after = { ...changed, version: before.version + 1 };
    const { limit = null, windowMs = null, mode = null, isQueueClosed: queueClosed = false, version } = after;
    await tx
      .update(limitOverrides)
      .set({ limit, windowMs, mode, queueClosed, version, who, why: why ?? null, changedAt: sql`now()` })
      .where(isThisLevel);
    await tx.insert(auditLog).values({
      who,
      what,
      target: `${policy}:${level}`,
      before: audited(before),
      after: audited(after),
      why,
    });
    return after;
  });
}

const overrideColumns = {
  policy: limitOverrides.policy,
  level: limitOverrides.level,
  limit: limitOverrides.limit,
  windowMs: limitOverrides.windowMs,
  mode: limitOverrides.mode,
  queueClosed: limitOverrides.queueClosed,
  version: limitOverrides.version,
};

type OverrideRow = Pick<typeof limitOverrides.$inferSelect, keyof typeof overrideColumns>;

function toOverride({ limit, windowMs, mode, queueClosed, ...row }: OverrideRow): Override {
  return {
    ...row,
    ...(limit !== null && { limit }),
    ...(windowMs !== null && { windowMs }),
    ...(mode !== null && { mode }),
    ...(queueClosed && { isQueueClosed: true }),
  };
}

/** Omits the policy and the level, which the audit log has in `target`. */
function auditedFields({
  policy: _policy,
  level: _level,
  ...override
}: Override): Omit<Override, 'policy' | 'level'> {
  return override;
}
