import { and, asc, eq, type SQL } from 'drizzle-orm';
import type { Db } from '../db/client';
import { coupons } from '../db/schema';
import { AppError } from '../errors';
import type { Context } from '../trpc/context';
import type { Language } from '../trpc/language';
import type { Coupon, CouponState } from './coupon';
import type { Gate } from './gate';
import { isShown } from './is-shown';
import { createSharedReading } from './shared-reading';
import { standingGate } from './standing-gate';

type Row = typeof coupons.$inferSelect;

/** For whom coupons are shown: in which language, and until when Redis may be waited for. */
export type Viewer = Pick<Context, 'language' | 'deadline'>;

/** The coupons as shoppers see them: what Postgres knows of them, and what the gate has left. */
export interface Catalog {
  /** Everything on show. Coupons and stock as they were a quarter of a second ago, at most; instants as they are. */
  list(viewer: Viewer): Promise<{ coupons: Coupon[]; serverNow: number }>;
  /** Throws NOT_FOUND. */
  byId(id: string, viewer: Viewer): Promise<{ coupon: Coupon; serverNow: number }>;
  ofMerchant(merchantId: string, viewer: Viewer): Promise<Coupon[]>;
  /** A coupon was changed here: the next list shows it. */
  forget(): void;
}

export interface CatalogOptions {
  db: Db;
  gate: Gate;
  /** Redis's clock. */
  now: (deadline: number) => Promise<number>;
  /** Whether too much waits for the ledger for the gate to make promises. */
  isLedgerBehind: (couponId: string) => boolean;
}

/** Ten thousand pages that ask at the same instant cost one reading. */
const LIST_FRESH_FOR_MS = 250;

export function createCatalog({ db, gate, now, isLedgerBehind }: CatalogOptions): Catalog {
  /** What the stores know of some coupons, for viewers of any language. */
  async function look(where: SQL | undefined, { deadline }: Pick<Viewer, 'deadline'>) {
    const rows = await db.select().from(coupons).where(where).orderBy(asc(coupons.startsAt), asc(coupons.id));
    const [serverNow, ...gates] = await Promise.all([
      now(deadline),
      ...rows.map(({ id }) => standingGate(gate, { couponId: id, deadline })),
    ]);
    return { rows, gates, serverNow, readAt: performance.now() };
  }

  /** The same for one viewer, by the present: what opens or ends meanwhile does so at its instant. */
  function show(seen: Awaited<ReturnType<typeof look>>, { language }: Pick<Viewer, 'language'>) {
    const serverNow = seen.serverNow + Math.round(performance.now() - seen.readAt);
    const { rows, gates } = seen;
    return {
      coupons: rows.map((row, place) =>
        toCoupon(row, { language, serverNow, gate: gates[place], isBehind: isLedgerBehind(row.id) }),
      ),
      serverNow,
    };
  }

  const view = async (where: SQL | undefined, viewer: Viewer) => show(await look(where, viewer), viewer);
  const listed = createSharedReading((viewer: Viewer) => look(isShown, viewer), {
    freshForMs: LIST_FRESH_FOR_MS,
  });

  return {
    async list(viewer) {
      return show(await listed.get(viewer), viewer);
    },

    async byId(id, viewer) {
      const { coupons: found, serverNow } = await view(eq(coupons.id, id), viewer);
      const [coupon] = found;
      if (!coupon) throw new AppError('NOT_FOUND', `There is no coupon ${JSON.stringify(id)}.`);
      return { coupon, serverNow };
    },

    async ofMerchant(merchantId, viewer) {
      return (await view(and(eq(coupons.merchantId, merchantId), isShown), viewer)).coupons;
    },

    forget: listed.forget,
  };
}

interface ViewOfRow {
  language: Language;
  serverNow: number;
  gate: { remaining: number | null } | undefined;
  isBehind: boolean;
}

function toCoupon(row: Row, { language, serverNow, gate, isBehind }: ViewOfRow): Coupon {
  const remaining = gate?.remaining ?? (row.stock ?? 0) - row.sold;
  return {
    id: row.id,
    merchantId: row.merchantId,
    kind: row.kind,
    title: row.title[language],
    faceValueCents: row.faceValueCents,
    priceCents: row.priceCents,
    stock: row.stock === null ? null : { total: row.stock, remaining },
    startsAt: row.startsAt.getTime(),
    endsAt: row.endsAt.getTime(),
    state: stateOf(row, {
      serverNow,
      isSoldOut: row.stock !== null && remaining <= 0,
      isOpen: gate !== undefined && !isBehind,
    }),
  };
}

function stateOf(
  { startsAt, endsAt }: Row,
  { serverNow, isSoldOut, isOpen }: { serverNow: number; isSoldOut: boolean; isOpen: boolean },
): CouponState {
  if (serverNow >= endsAt.getTime()) return 'ended';
  if (serverNow < startsAt.getTime()) return 'upcoming';
  if (isSoldOut) return 'sold-out';
  return isOpen ? 'live' : 'paused';
}
