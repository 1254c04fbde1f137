import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eq, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../../db/client';
import { auditLog, coupons, merchants, nextCouponChange, transactionStartMs } from '../../db/schema';
import { notFoundError } from '../../errors';
import { StoreUnavailableError } from '../../limiter/index';
import type { Log } from '../../observability/log';
import type { Coupon } from '../coupon';
import type { Amended } from '../gate/amend-gate';
import type { Amendment } from '../gate/coupon-queries';
import {
  applyCouponFieldsChange,
  type CouponFields,
  type CouponFieldsChange,
  checkCouponFields,
} from './coupon-fields';
import type { CouponReader, ReadOptions } from './coupon-reader';

/** The operator of a command, and the reader of its reply. */
export interface Operator {
  who: string;
  readOptions: ReadOptions;
}

/** The commands of operators on coupons. A refused command throws an `AppError` and changes nothing. */
export interface CouponCommands {
  create(fields: CouponFields, operator: Operator): Promise<Coupon>;
  update(options: { id: string; change: CouponFieldsChange }, operator: Operator): Promise<Coupon>;
  /** Ends a sale now. Does nothing after its end. Orders stay. */
  close(id: string, operator: Operator): Promise<Coupon>;
}

/**
 * Creates the commands. Each writes to Postgres with its audit entry, then sends the change to the gate. If the node cannot
 * send it or stops in between, `sweepGates` sends it on any node.
 */
export function createCouponCommands({
  db,
  couponReader,
  ensureGate,
  amendGate,
  readStoreTime,
  log,
}: {
  db: Db;
  couponReader: CouponReader;
  ensureGate: (couponId: string) => Promise<boolean>;
  amendGate: (change: Amendment) => Promise<Amended>;
  readStoreTime: () => Promise<number>;
  log: Pick<Log, 'warn'>;
}): CouponCommands {
  /** Logs an unavailable store instead of throwing, because the change is committed. */
  async function updateGate(id: string, update: () => Promise<unknown>): Promise<void> {
    couponReader.invalidate();
    try {
      await update();
    } catch (err) {
      if (!(err instanceof StoreUnavailableError)) throw err;
      log.warn({ err, couponId: id }, 'A change could not be sent to its gate. It will be sent again.');
    }
    couponReader.invalidate();
  }

  const readCoupon = async (id: string, { readOptions }: Operator) =>
    (await couponReader.byId(id, readOptions)).coupon;

  return {
    async create(fields, operator) {
      const checked = checkCouponFields(fields, { now: await readStoreTime() });
      const { id } = await insertCouponRow(db, { fields: checked, who: operator.who });
      await updateGate(id, () => ensureGate(id));
      return readCoupon(id, operator);
    },

    async update({ id, change }, operator) {
      const now = await readStoreTime();
      const amendment = await changeCouponRow(db, {
        ...{ id, who: operator.who, what: 'coupon.update' },
        change: (before, { sold }) => applyCouponFieldsChange(before, change, { now, sold }),
      });
      if (amendment) await updateGate(id, () => amendGate(amendment));
      return readCoupon(id, operator);
    },

    async close(id, operator) {
      const now = await readStoreTime();
      const amendment = await changeCouponRow(db, {
        ...{ id, who: operator.who, what: 'coupon.close' },
        // In the past by the clocks of both stores, so that neither treats the sale as open. A sale that closes before
        // its start gets a start before its end.
        change(before, { databaseNow }) {
          const endsAt = Math.min(now, databaseNow);
          if (endsAt >= before.endsAt) return before;
          return { ...before, startsAt: Math.min(before.startsAt, endsAt - 1), endsAt };
        },
      });
      if (amendment) await updateGate(id, () => amendGate(amendment));
      return readCoupon(id, operator);
    },
  };
}

/** Inserts a coupon and its audit entry. Throws NOT_FOUND for an unknown merchant. */
function insertCouponRow(
  db: Db,
  { fields, who }: { fields: CouponFields; who: string },
): Promise<{ id: string }> {
  return db.transaction(async (tx) => {
    await requireMerchant(tx, fields.merchantId);
    const id = randomUUID();
    await tx.insert(coupons).values({ id, ...toColumns(fields) });
    await tx
      .insert(auditLog)
      .values({ who, what: 'coupon.create', target: id, before: {}, after: { ...fields, revision: 0 } });
    return { id };
  });
}

/** A change of a coupon, with the data of its audit entry. */
interface CouponChange {
  id: string;
  /** The user who makes the change. */
  who: string;
  /** The procedure. */
  what: string;
  /** Returns the new fields; equal fields mean no change. May throw. */
  change: (before: CouponFields, facts: { sold: number; databaseNow: number }) => CouponFields;
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
    if (!row) throw notFoundError('coupon', id);
    const before = toCouponFields(row);
    const after = change(before, { sold: row.sold, databaseNow: await readDatabaseTime(tx) });
    const isLastRound = what === 'coupon.close' || after.endsAt < before.endsAt;
    const endsSeries = isLastRound && row.series !== null;
    if (isDeepStrictEqual(after, before) && !endsSeries) return undefined;
    if (after.merchantId !== before.merchantId) await requireMerchant(tx, after.merchantId);

    const revision = row.revision + 1;
    const hasMore = after.stock !== null && after.stock > row.sold;
    const [changed] = await tx
      .update(coupons)
      .set({
        ...{ ...toColumns(after), revision, change: nextCouponChange },
        // In the transaction, and after its wait for the row.
        gateChangedAt: sql`clock_timestamp()`,
        ...(hasMore && { soldOutAt: null }),
        ...(endsSeries && { series: null }),
      })
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

function toCouponFields({ startsAt, endsAt, ...row }: Row): CouponFields {
  const { merchantId, kind, title, faceValueCents, priceCents, stock } = row;
  return {
    ...{ merchantId, kind, title, faceValueCents, priceCents, stock },
    startsAt: startsAt.getTime(),
    endsAt: endsAt.getTime(),
  };
}

function toColumns({ startsAt, endsAt, ...fields }: CouponFields) {
  return { ...fields, startsAt: new Date(startsAt), endsAt: new Date(endsAt) };
}

async function requireMerchant(tx: Transaction, id: string): Promise<void> {
  const [merchant] = await tx.select({ id: merchants.id }).from(merchants).where(eq(merchants.id, id));
  if (!merchant) throw notFoundError('merchant', id);
}

/** Returns the start time of the transaction by Postgres's clock. */
async function readDatabaseTime(tx: Transaction): Promise<number> {
  const { rows } = await tx.execute<{ now: string }>(sql`select ${transactionStartMs} as now`);
  return Number(rows[0]?.now);
}
