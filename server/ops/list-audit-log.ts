import { desc, eq, lt } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client';
import { auditLog, users } from '../db/schema';
import { encodeCursor } from '../trpc/inputs';

/** An action of an operator. */
export interface AuditLogEntry {
  id: number;
  /** Epoch ms. */
  at: number;
  /** Id of the user. */
  who: string;
  /** Absent if the user no longer exists. */
  whoName?: string;
  /** Name of the procedure, such as `limit.update`. */
  what: string;
  /** Id of the changed object: a coupon, a payment, or `policy:level`. */
  target: string;
  /** Changed fields by name. */
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  why?: string;
}

export interface AuditLogQuery {
  cursor?: [id: number] | undefined;
  /** Entries per page. Default: 25, about 50 kB with the longest fields. */
  limit?: number;
}

export interface AuditLogPage {
  entries: AuditLogEntry[];
  /** Absent on the last page. */
  nextCursor?: string;
}

const fields = z.record(z.string(), z.unknown());

/** Lists the actions of operators, newest first. A new entry shifts no page. */
export async function listAuditLog(
  db: Db,
  { cursor, limit = 25 }: AuditLogQuery = {},
): Promise<AuditLogPage> {
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
