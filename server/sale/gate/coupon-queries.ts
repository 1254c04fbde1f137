import { and, between, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { isCurrentRound, nextRoundOpenedWithin } from '../../db/current-round';
import { coupons } from '../../db/schema';
import { isUnavailable } from '../../db/unavailable';
import type { Coupon } from '../coupon';

import type { Fence } from './fence';

/** Queries of coupons for the jobs of a node. */
export interface CouponQueries {
  /**
   * Lists the coupons that have not ended, except those whose next round opened more than 2 minutes ago, with the fences
   * of their gates in the ledger.
   */
  listOpenCoupons(): Promise<(Fence & { id: string })[]>;
  /** Lists the seckills among these coupons, with their remaining stock in Postgres. */
  listStockedCoupons(): Promise<{ id: string; left: number }[]>;
  /** Lists the coupons whose outbox may have entries; the last known ones while Postgres is down. */
  listActiveCoupons(): Promise<string[]>;
  /** Lists the coupons that may have dead letters: until eight days after their end. The last known ones while Postgres is down. */
  listCouponsWithDeadLetters(): Promise<string[]>;
  /** Lists the changes of coupons by operators, until a day after their end. */
  listAmendments(): Promise<Amendment[]>;
  /** Lists the coupons whose sale begins within 5 s. */
  listStartingCoupons(): Promise<{ id: string; kind: Coupon['kind'] }[]>;
  /** Finds a coupon whose gate has no state. Concurrent calls share one query. */
  findCoupon(id: string): Promise<{ kind: Coupon['kind']; hasEnded: boolean } | undefined>;
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

/** Maximum age of the stock, which is sent to all viewers four times a second. */
const STOCKED_FOR_MS = 1_000;

/**
 * Reads coupons from Postgres. The lists of stock, active coupons and dead letters return their last value while Postgres
 * is down. The stock is read at most once per second.
 */
export function createCouponQueries({ db }: { db: Db }): CouponQueries {
  const isNotEnded = gt(coupons.endsAt, sql`now()`);

  const stocked = lastKnown(async () => {
    const { id, stock, sold } = coupons;
    const left = sql<number>`${stock} - ${sold}`;
    return db
      .select({ id, left })
      .from(coupons)
      .where(and(isNotEnded, isCurrentRound, eq(coupons.kind, 'seckill')))
      .orderBy(coupons.startsAt, id);
  }, STOCKED_FOR_MS);

  const active = lastKnown(async () => {
    const isRecent = gt(coupons.endsAt, sql`now() - interval '1 day'`);
    const mayHold = or(isNull(coupons.nextRoundAt), nextRoundOpenedWithin(sql`interval '10 minutes'`));
    return (await db.select({ id: coupons.id }).from(coupons).where(and(isRecent, mayHold))).map(
      ({ id }) => id,
    );
  }, 0);

  const lettered = lastKnown(async () => {
    const { id, endsAt } = coupons;
    const rows = await db.select({ id }).from(coupons).where(gt(endsAt, sql`now() - interval '8 days'`));
    return rows.map((row) => row.id);
  }, 0);

  /** Running queries by coupon: all purchases of a missing gate share one query. */
  const finding = new Map<string, ReturnType<CouponQueries['findCoupon']>>();
  const find: CouponQueries['findCoupon'] = async (id) => {
    const [row] = await db
      .select({ kind: coupons.kind, hasEnded: sql<boolean>`${coupons.endsAt} <= now()` })
      .from(coupons)
      .where(eq(coupons.id, id));
    return row;
  };

  return {
    listStockedCoupons: stocked,
    listActiveCoupons: active,
    listCouponsWithDeadLetters: lettered,

    async listOpenCoupons() {
      const { id, generation, gateSequence: sequence } = coupons;
      return db.select({ id, generation, sequence }).from(coupons).where(and(isNotEnded, isCurrentRound));
    },

    async listAmendments() {
      const { id, revision, kind, startsAt, endsAt, stock } = coupons;
      return db
        .select({ id, revision, kind, startsAt, endsAt, stock })
        .from(coupons)
        .where(and(gt(revision, 0), gt(endsAt, sql`now() - interval '1 day'`)));
    },

    async listStartingCoupons() {
      const { id, kind, startsAt } = coupons;
      return db
        .select({ id, kind })
        .from(coupons)
        .where(between(startsAt, sql`now()`, sql`now() + interval '5 seconds'`));
    },

    findCoupon(id) {
      const running = finding.get(id) ?? find(id).finally(() => finding.delete(id));
      finding.set(id, running);
      return running;
    },
  };
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
