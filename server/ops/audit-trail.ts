import { desc, eq, lt } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client';
import { auditLog, users } from '../db/schema';
import { encodeCursor } from '../trpc/cursor';

/** Something that an operator did. */
export interface AuditEntry {
  id: number;
  /** Epoch ms. */
  at: number;
  /** The user's id, and the name where it is known. */
  who: string;
  whoName?: string | undefined;
  /** The procedure, as in `limit.update`. */
  what: string;
  /** What it was done to: a coupon's id, or policy and level as in `coupon.claim:user`. */
  target: string;
  /** As it was and as it became: fields by name. */
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  why?: string | undefined;
}

export interface AuditPage {
  /** Newest first. */
  entries: AuditEntry[];
  /** Absent on the last page. */
  nextCursor?: string;
}

const PAGE = 50;
const fields = z.record(z.string(), z.unknown());

/** What operators did, a page from the newest or from before an id. */
export async function auditTrail(
  db: Db,
  { before }: { before?: number | undefined } = {},
): Promise<AuditPage> {
  const rows = await db
    .select({ entry: auditLog, whoName: users.name })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.who))
    .where(before === undefined ? undefined : lt(auditLog.id, before))
    .orderBy(desc(auditLog.id))
    .limit(PAGE + 1);
  const page = rows.slice(0, PAGE);
  const last = page.at(-1);
  return {
    entries: page.map(({ entry, whoName }) => ({
      ...{ id: entry.id, at: entry.changedAt.getTime(), who: entry.who },
      ...(whoName !== null && { whoName }),
      ...{ what: entry.what, target: entry.target },
      ...{ before: fields.parse(entry.before), after: fields.parse(entry.after) },
      ...(entry.why !== null && { why: entry.why }),
    })),
    ...(rows.length > PAGE && last && { nextCursor: encodeCursor([last.entry.id]) }),
  };
}
