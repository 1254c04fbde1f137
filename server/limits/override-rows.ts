import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { auditLog, limitOverrides } from '../db/schema';
import type { Override } from '../limiter';

/** A number that grows with every change that is committed: one after another, whatever rows they are of. */
export async function countChanges(db: Db): Promise<number> {
  const [row] = await db
    .select({ changes: sql<number>`coalesce(sum(${limitOverrides.version}), 0)::integer` })
    .from(limitOverrides);
  return row?.changes ?? 0;
}

/** All overrides, resets among them. */
export async function readOverrides(db: Db): Promise<Override[]> {
  const rows = await db
    .select(overrideColumns)
    .from(limitOverrides)
    .where(gt(limitOverrides.version, 0))
    .orderBy(asc(limitOverrides.policy), asc(limitOverrides.level));
  return rows.map(toOverride);
}

/** Raises the version of a level, so that every node reads the overrides and voids the denials that it knows. */
export async function raiseVersion(
  db: Pick<Db, 'insert'>,
  { policy, level, who }: { policy: string; level: string; who: string },
): Promise<void> {
  await db
    .insert(limitOverrides)
    .values({ policy, level, version: 1, who })
    .onConflictDoUpdate({
      target: [limitOverrides.policy, limitOverrides.level],
      set: { version: sql`${limitOverrides.version} + 1` },
    });
}

/** One change of one level, as it goes into the audit log. */
export interface OverrideChange {
  policy: string;
  level: string;
  /** The user who asks for it. */
  who: string;
  /** The procedure. */
  what: string;
  why?: string | undefined;
  /** What the level's override becomes, its version apart; the same object where nothing is to change. May throw. */
  change: (before: Override) => Override;
}

/**
 * Changes an override and writes the audit log, in one transaction. The row's lock puts the changes of one level in a
 * line, so that each sees the one before it and no version is given twice.
 */
export function changeOverride(
  db: Db,
  { policy, level, who, what, why, change }: OverrideChange,
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
    const { limit = null, windowMs = null, mode = null, version } = after;
    await tx
      .update(limitOverrides)
      .set({ limit, windowMs, mode, version, who, why: why ?? null, changedAt: sql`now()` })
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
  version: limitOverrides.version,
};

type OverrideRow = Pick<typeof limitOverrides.$inferSelect, keyof typeof overrideColumns>;

function toOverride({ limit, windowMs, mode, ...row }: OverrideRow): Override {
  return {
    ...row,
    ...(limit !== null && { limit }),
    ...(windowMs !== null && { windowMs }),
    ...(mode !== null && { mode }),
  };
}

/** What it was done to stands beside it. */
function audited({
  policy: _policy,
  level: _level,
  ...override
}: Override): Omit<Override, 'policy' | 'level'> {
  return override;
}
