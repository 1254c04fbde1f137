import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eq, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../../db/client';
import { auditLog, coupons, merchants } from '../../db/schema';
import { AppError } from '../../errors';
import type { Amendment } from '../gate/amend-gate';
import type { Terms } from './terms';

/** Inserts a coupon and its audit entry. Throws NOT_FOUND for an unknown merchant. */
export function insertCouponRow(
  db: Db,
  { terms, who }: { terms: Terms; who: string },
): Promise<{ id: string }> {
  return db.transaction(async (tx) => {
    await requireMerchant(tx, terms.merchantId);
    const id = randomUUID();
    await tx.insert(coupons).values({ id, ...toColumns(terms) });
    await tx
      .insert(auditLog)
      .values({ who, what: 'coupon.create', target: id, before: {}, after: { ...terms, revision: 0 } });
    return { id };
  });
}

/** A change of a coupon, with the data of its audit entry. */
export interface CouponChange {
  id: string;
  /** The user who makes the change. */
  who: string;
  /** The procedure. */
  what: string;
  /** Returns the new terms; equal terms mean no change. May throw. */
  change: (before: Terms, facts: { sold: number; databaseNow: number }) => Terms;
}

/**
 * Changes a coupon and writes the audit entry in one transaction. Returns undefined if nothing changed. The row's lock
 * serialises changes, batches of the ledger and rebuilds of the gate. Throws NOT_FOUND.
 */
export function changeCouponRow(
  db: Db,
  { id, who, what, change }: CouponChange,
): Promise<Amendment | undefined> {
  return db.transaction(async (tx) => {
    const [row] = await tx.select().from(coupons).where(eq(coupons.id, id)).for('update');
    if (!row) throw new AppError('NOT_FOUND', `There is no coupon ${JSON.stringify(id)}.`);
    const before = toTerms(row);
    const after = change(before, { sold: row.sold, databaseNow: await readDatabaseTime(tx) });
    if (isDeepStrictEqual(after, before)) return undefined;
    if (after.merchantId !== before.merchantId) await requireMerchant(tx, after.merchantId);

    const revision = row.revision + 1;
    const hasMore = after.stock !== null && after.stock > row.sold;
    const [changed] = await tx
      .update(coupons)
      .set({ ...toColumns(after), revision, ...(hasMore && { soldOutAt: null }) })
      .where(eq(coupons.id, id))
      .returning();
    await tx.insert(auditLog).values({
      ...{ who, what, target: id },
      before: { ...before, revision: row.revision },
      after: { ...after, revision },
    });
    return changed;
  });
}

type Row = typeof coupons.$inferSelect;

function toTerms({ startsAt, endsAt, ...row }: Row): Terms {
  const { merchantId, kind, title, faceValueCents, priceCents, stock } = row;
  return {
    ...{ merchantId, kind, title, faceValueCents, priceCents, stock },
    startsAt: startsAt.getTime(),
    endsAt: endsAt.getTime(),
  };
}

function toColumns({ startsAt, endsAt, ...terms }: Terms) {
  return { ...terms, startsAt: new Date(startsAt), endsAt: new Date(endsAt) };
}

async function requireMerchant(tx: Transaction, id: string): Promise<void> {
  const [merchant] = await tx.select({ id: merchants.id }).from(merchants).where(eq(merchants.id, id));
  if (!merchant) throw new AppError('NOT_FOUND', `There is no merchant ${JSON.stringify(id)}.`);
}

/** Returns the start time of the transaction by Postgres's clock. */
async function readDatabaseTime(tx: Transaction): Promise<number> {
  const { rows } = await tx.execute<{ now: string }>(
    sql`select floor(extract(epoch from now()) * 1000)::text as now`,
  );
  return Number(rows[0]?.now);
}
