import { and, between, eq, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { isCurrentRound, nextRoundOpenedWithin } from '../../db/current-round';
import { coupons } from '../../db/schema';
import { isUnavailable } from '../../db/unavailable';
import type { Coupon } from '../coupon';
import { SLICE, type SliceEnd } from './due-gates';
import type { Fence } from './fence';

/** Queries of coupons for the jobs of a node. */
export interface CouponQueries {
  /**
   * Lists the coupons that are on sale, and those of the last day that an operator has changed: their gates may not have
   * applied the change.
   */
  listAllGates(): Promise<LedgerGate[]>;
  /** Lists these coupons, and those that changed in the last 10 s, until a day after their end. */
  listChangedGates(couponIds: readonly string[]): Promise<LedgerGate[]>;
  /** Lists the next coupons on sale by their end, after this one or from the first. */
  listGateSlice(after: SliceEnd | undefined): Promise<LedgerGate[]>;
  /** Lists the coupons whose outbox may have entries; the last known ones while Postgres is down. */
  listActiveCoupons(): Promise<string[]>;
  /** Lists the next coupons whose outbox may have entries by their end, after this one or from the first. */
  listActiveSlice(after: SliceEnd | undefined): Promise<SliceEnd[]>;
  /** Lists the coupons with dead letters of the last eight days; the last known ones while Postgres is down. */
  listCouponsWithDeadLetters(): Promise<string[]>;
  /** Lists the coupons whose sale begins within 5 s. */
  listStartingCoupons(): Promise<{ id: string; kind: Coupon['kind'] }[]>;
  /** Finds a coupon whose gate has no state. Concurrent calls share one query. */
  findCoupon(id: string): Promise<{ kind: Coupon['kind']; hasEnded: boolean } | undefined>;
}

/** A coupon with the state of its gate in the ledger. */
export interface LedgerGate extends Fence, Amendment {
  /** Number of orders that count as sold. */
  sold: number;
  /** It has not ended, and its next round, if any, opened less than 2 minutes ago. Its gate has to be open. */
  isOnSale: boolean;
}

/** An operator's change of a coupon, in the form that its gate needs. */
export interface Amendment {
  id: string;
  /** Number of changes of this coupon so far. */
  revision: number;
  kind: Coupon['kind'];
  startsAt: Date;
  endsAt: Date;
  /** The whole stock, sold or not; null for a claim. */
  stock: number | null;
}

/** Maximum age of the coupons with dead letters, whose reservations each list of a shopper's orders reads. */
const LETTERED_FOR_MS = 250;

/**
 * Reads coupons from Postgres. The lists of active coupons and dead letters return their last value while Postgres is down.
 * The coupons with dead letters are read at most four times per second.
 */
export function createCouponQueries({ db }: { db: Db }): CouponQueries {
  const isNotEnded = gt(coupons.endsAt, sql`now()`);
  const isOnSale = sql<boolean>`(${and(isNotEnded, isCurrentRound)})`;
  const isRecent = gt(coupons.endsAt, sql`now() - interval '1 day'`);
  const isActive = and(
    isRecent,
    or(isNull(coupons.nextRoundAt), nextRoundOpenedWithin(sql`interval '10 minutes'`)),
  );
  const { id, endsAt } = coupons;

  function selectGates() {
    const { generation, gateSequence: sequence, revision, kind, startsAt, stock, sold } = coupons;
    return db
      .select({ id, generation, sequence, revision, kind, startsAt, endsAt, stock, sold, isOnSale })
      .from(coupons);
  }

  const active = lastKnown(async () => {
    const rows = await db.select({ id }).from(coupons).where(isActive);
    return rows.map((row) => row.id);
  }, 0);

  const lettered = lastKnown(async () => {
    const rows = await db
      .select({ id })
      .from(coupons)
      .where(gt(coupons.deadLetterAt, sql`now() - interval '8 days'`));
    return rows.map((row) => row.id);
  }, LETTERED_FOR_MS);

  /** Running queries by coupon: all purchases of a missing gate share one query. */
  const finding = new Map<string, ReturnType<CouponQueries['findCoupon']>>();
  const find: CouponQueries['findCoupon'] = async (couponId) => {
    const [row] = await db
      .select({ kind: coupons.kind, hasEnded: sql<boolean>`${endsAt} <= now()` })
      .from(coupons)
      .where(eq(id, couponId));
    return row;
  };

  return {
    listActiveCoupons: active,
    listCouponsWithDeadLetters: lettered,

    listAllGates: async () => selectGates().where(or(isOnSale, and(gt(coupons.revision, 0), isRecent))),

    async listChangedGates(couponIds) {
      const hasChanged = gt(coupons.gateChangedAt, sql`now() - interval '10 seconds'`);
      return selectGates().where(and(or(inArray(id, [...couponIds]), hasChanged), isRecent));
    },

    listGateSlice: async (after) =>
      selectGates()
        .where(and(isNotEnded, isCurrentRound, isAfterSlice(after)))
        .orderBy(endsAt, id)
        .limit(SLICE),

    listActiveSlice: async (after) =>
      db
        .select({ id, endsAt })
        .from(coupons)
        .where(and(isActive, isAfterSlice(after)))
        .orderBy(endsAt, id)
        .limit(SLICE),

    async listStartingCoupons() {
      const { kind, startsAt } = coupons;
      return db
        .select({ id, kind })
        .from(coupons)
        .where(between(startsAt, sql`now()`, sql`now() + interval '5 seconds'`));
    },

    findCoupon(couponId) {
      const running = finding.get(couponId) ?? find(couponId).finally(() => finding.delete(couponId));
      finding.set(couponId, running);
      return running;
    },
  };
}

/** Selects the coupons after a slice, in the order of their end. */
export function isAfterSlice(after: SliceEnd | undefined): SQL | undefined {
  return (
    after &&
    sql`(${coupons.endsAt}, ${coupons.id}) > (${after.endsAt.toISOString()}::timestamptz, ${after.id})`
  );
}

/** Reads at most once in `freshForMs`, and returns the last value while Postgres is down. */
export function lastKnown<Value>(read: () => Promise<Value>, freshForMs: number): () => Promise<Value> {
  let last: { value: Value; at: number } | undefined;
  return async function readOrLast() {
    if (last && performance.now() - last.at < freshForMs) return last.value;
    try {
      last = { value: await read(), at: performance.now() };
    } catch (error) {
      if (!last || !isUnavailable(error)) throw error;
    }
    return last.value;
  };
}
