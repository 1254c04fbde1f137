import { desc, eq, lt } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client';
import { auditLog, users } from '../db/schema';
import { encodeCursor } from '../trpc/cursor';

/** One thing that an operator did. */
export interface AuditEntry {
  id: number;
  /** Epoch ms. */
  at: number;
  /** The id of the user, and the name where there is still such a user. */
  who: string;
  whoName?: string;
  /** The procedure, as in `limit.update`. */
  what: string;
  /** What it was done to: a coupon, a payment, or `policy:level`. */
  target: string;
  /** Fields by name, as far as they were changed. */
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  why?: string;
}

/** The sort key of the audit trail: newest first. */
export type AuditCursor = [id: number];

export interface AuditQuery {
  cursor?: AuditCursor | undefined;
  /** Entries to a page. Default: 50. */
  limit?: number;
}

export interface AuditPage {
  entries: AuditEntry[];
  /** Absent on the last page. */
  nextCursor?: string;
}

const fields = z.record(z.string(), z.unknown());

/** What operators did, newest first. What is added while somebody reads shifts no page. */
export async function listAudit(db: Db, { cursor, limit = 50 }: AuditQuery = {}): Promise<AuditPage> {
  const rows = await db
    .select({ entry: auditLog, whoName: users.name })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.who))
    .where(cursor && lt(auditLog.id, cursor[0]))
    .orderBy(desc(auditLog.id))
    .limit(limit + 1);
  const entries = rows.slice(0, limit).map(({ entry: { changedAt, why, ...entry }, whoName }) => ({
    ...entry,
    at: changedAt.getTime(),
    before: fields.parse(entry.before),
    after: fields.parse(entry.after),
    ...(whoName !== null && { whoName }),
    ...(why !== null && { why }),
  }));
  const last = entries.at(-1);
  return { entries, ...(rows.length > limit && last && { nextCursor: encodeCursor([last.id]) }) };
}
