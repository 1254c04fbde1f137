import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { coupons } from '../db/schema';
import { AppError } from '../errors';
import { StoreUnavailableError } from '../limiter';
import type { Language } from '../trpc/language';
import type { Coupon, CouponState } from './coupon';
import type { Gate } from './gate';
import { isShown } from './is-shown';

type Row = typeof coupons.$inferSelect;

/** The coupons as shoppers see them: what Postgres knows of them, and what the gate has left. */
export interface Catalog {
  list(language: Language): Promise<{ coupons: Coupon[]; serverNow: number }>;
  /** Throws NOT_FOUND. */
  byId(id: string, language: Language): Promise<{ coupon: Coupon; serverNow: number }>;
  ofMerchant(merchantId: string, language: Language): Promise<Coupon[]>;
  /** What is left of every seckill that has not ended. */
  stock(): Promise<{ couponId: string; remaining: number }[]>;
  /** Coupons that have not ended. */
  openIds(): Promise<string[]>;
  /** Coupons that have not ended more than a day ago: their outboxes may still hold something. */
  activeIds(): Promise<string[]>;
  kindOf(id: string): Promise<Coupon['kind'] | undefined>;
}

export interface CatalogOptions {
  db: Db;
  gate: Gate;
  /** Redis's clock. */
  now: () => Promise<number>;
}

export function createCatalog({ db, gate, now }: CatalogOptions): Catalog {
  async function view(rows: Row[], language: Language): Promise<{ coupons: Coupon[]; serverNow: number }> {
    const [serverNow, ...remaining] = await Promise.all([
      now(),
      ...rows.map((row) => remainingOf(gate, row)),
    ]);
    return {
      coupons: rows.map((row, place) => toCoupon(row, { language, serverNow, remaining: remaining[place] })),
      serverNow,
    };
  }

  const select = (where: SQL | undefined) =>
    db.select().from(coupons).where(where).orderBy(asc(coupons.startsAt), asc(coupons.id));
  const ids = async (where: SQL) =>
    (await db.select({ id: coupons.id }).from(coupons).where(where)).map(({ id }) => id);
  const isOpen = gt(coupons.endsAt, sql`now()`);

  return {
    async list(language) {
      return view(await select(isShown), language);
    },

    async byId(id, language) {
      const { coupons: found, serverNow } = await view(await select(eq(coupons.id, id)), language);
      const [coupon] = found;
      if (!coupon) throw new AppError('NOT_FOUND', `There is no coupon ${JSON.stringify(id)}.`);
      return { coupon, serverNow };
    },

    async ofMerchant(merchantId, language) {
      return (await view(await select(and(eq(coupons.merchantId, merchantId), isShown)), language)).coupons;
    },

    async stock() {
      const rows = await select(and(isOpen, eq(coupons.kind, 'seckill')));
      return Promise.all(
        rows.map(async (row) => ({
          couponId: row.id,
          remaining: (await remainingOf(gate, row)) ?? leftByLedger(row),
        })),
      );
    },

    openIds: () => ids(isOpen),
    activeIds: () => ids(gt(coupons.endsAt, sql`now() - interval '1 day'`)),

    async kindOf(id) {
      const [row] = await db.select({ kind: coupons.kind }).from(coupons).where(eq(coupons.id, id));
      return row?.kind;
    },
  };
}

/** By the gate; undefined where it has no state or Redis is away: then nothing can be sold. */
async function remainingOf(gate: Gate, { id, stock }: Row): Promise<number | undefined> {
  try {
    const remaining = await gate.remaining(id);
    return remaining === null && stock === null ? Number.POSITIVE_INFINITY : (remaining ?? undefined);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}

function leftByLedger({ stock, sold }: Row): number {
  return (stock ?? 0) - sold;
}

function toCoupon(
  row: Row,
  {
    language,
    serverNow,
    remaining,
  }: { language: Language; serverNow: number; remaining: number | undefined },
): Coupon {
  return {
    id: row.id,
    merchantId: row.merchantId,
    kind: row.kind,
    title: row.title[language],
    faceValueCents: row.faceValueCents,
    priceCents: row.priceCents,
    stock: row.stock === null ? null : { total: row.stock, remaining: remaining ?? leftByLedger(row) },
    startsAt: row.startsAt.getTime(),
    endsAt: row.endsAt.getTime(),
    state: stateOf(row, { serverNow, remaining }),
  };
}

function stateOf(
  row: Row,
  { serverNow, remaining }: { serverNow: number; remaining: number | undefined },
): CouponState {
  if (serverNow >= row.endsAt.getTime()) return 'ended';
  if (serverNow < row.startsAt.getTime()) return 'upcoming';
  if (remaining === 0 || row.sold === row.stock) return 'sold-out';
  return remaining === undefined ? 'paused' : 'live';
}
