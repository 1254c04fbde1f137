import { and, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { coupons } from '../db/schema';
import { isUnavailable } from '../db/unavailable';
import type { Coupon } from './coupon';

/** What the jobs of a node need to know of the coupons. */
export interface CouponIndex {
  /** Coupons that have not ended and that no next round has followed, with Postgres's generation of their gate. */
  open(): Promise<{ id: string; generation: number }[]>;
  /** Seckills that have not ended and that no next round has followed, with what Postgres has left of them. */
  stocked(): Promise<{ id: string; left: number }[]>;
  /** Coupons whose outbox may still hold something. Those last heard of while Postgres is away. */
  active(): Promise<string[]>;
  /** What a purchase must know of a coupon whose gate has no state. */
  find(id: string): Promise<{ kind: Coupon['kind']; isOver: boolean } | undefined>;
}

/** How old an answer may be that is given four times a second to everybody who watches. */
const STOCKED_FOR_MS = 1_000;

export function createCouponIndex({ db }: { db: Db }): CouponIndex {
  const isNotOver = gt(coupons.endsAt, sql`now()`);
  const isFollowed = (since: SQL) => gt(coupons.nextRoundAt, sql`now() - ${since}`);
  const isCurrent = or(isNull(coupons.nextRoundAt), isFollowed(sql`interval '2 minutes'`));

  const stocked = lastKnown(async () => {
    const { id, stock, sold } = coupons;
    const left = sql<number>`${stock} - ${sold}`;
    return db
      .select({ id, left })
      .from(coupons)
      .where(and(isNotOver, isCurrent, eq(coupons.kind, 'seckill')))
      .orderBy(coupons.startsAt, id);
  }, STOCKED_FOR_MS);

  const active = lastKnown(async () => {
    const isRecent = gt(coupons.endsAt, sql`now() - interval '1 day'`);
    const mayHold = or(isNull(coupons.nextRoundAt), isFollowed(sql`interval '10 minutes'`));
    return (await db.select({ id: coupons.id }).from(coupons).where(and(isRecent, mayHold))).map(
      ({ id }) => id,
    );
  }, 0);

  return {
    stocked,
    active,

    async open() {
      const { id, generation } = coupons;
      return db.select({ id, generation }).from(coupons).where(and(isNotOver, isCurrent));
    },

    find: sharedByKey(async (id) => {
      const [row] = await db
        .select({ kind: coupons.kind, isOver: sql<boolean>`${coupons.endsAt} <= now()` })
        .from(coupons)
        .where(eq(coupons.id, id));
      return row;
    }),
  };
}

/** A crowd that asks for one thing at one moment shares one reading of it. */
function sharedByKey<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const underWay = new Map<string, Promise<Value>>();
  return function readShared(key) {
    const known = underWay.get(key);
    if (known) return known;
    const reading = read(key).finally(() => underWay.delete(key));
    underWay.set(key, reading);
    return reading;
  };
}

/** Reads at most once in `freshForMs`, and while Postgres is away gives what it read last. */
function lastKnown<Value>(read: () => Promise<Value>, freshForMs: number): () => Promise<Value> {
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
