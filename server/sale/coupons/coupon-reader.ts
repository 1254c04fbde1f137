import { asc, inArray, type SQL } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { CallAccess } from '../../db/client';
import { coupons } from '../../db/schema';
import { AppError } from '../../errors';
import type { Context } from '../../trpc/context';
import type { Language } from '../../trpc/language';
import type { Gate, GateState } from '../gate/gate';
import { readCurrentState } from '../gate/standing-gate';
import { createCachedRead } from './cached-read';
import type { Coupon, CouponState } from './coupon';
import { isShown } from './is-shown';

type Row = typeof coupons.$inferSelect;

/** For whom coupons are shown: in which language, and until when Redis may be waited for. */
export type Viewer = Pick<Context, 'language' | 'deadline'>;

/**
 * The coupons as shoppers see them: what Postgres has of them, and the stock that the gate has left. Coupons and stock
 * are at most 250 ms old, instants are current. Any number of calls costs one reading of the shown coupons in that time.
 */
export interface CouponReader {
  /** Returns the shown coupons, and those of `ids` that exist, shown or not. */
  list(viewer: Viewer, ids?: readonly string[]): Promise<{ coupons: Coupon[]; serverNow: number }>;
  /** Throws NOT_FOUND. */
  byId(id: string, viewer: Viewer): Promise<{ coupon: Coupon; serverNow: number }>;
  listOfMerchant(merchantId: string, viewer: Viewer): Promise<Coupon[]>;
  /** Makes the next call read anew, after a change on this node. */
  invalidate(): void;
}

export interface CouponReaderOptions {
  calls: Pick<CallAccess, 'readDb' | 'runRead'>;
  gate: Gate;
  /** Redis's clock. */
  readStoreTime: (deadline: number) => Promise<number>;
  /** Whether too much waits for the ledger for the gate to make promises. */
  isLedgerBehind: (couponId: string) => boolean;
}

const FRESH_FOR_MS = 250;
/** Coupons outside the shown ones that are kept for `FRESH_FOR_MS`, ids that do not exist among them. */
const MAX_OTHERS = 1_000;

/** Coupons as both stores had them at one instant. */
interface Reading {
  rows: Row[];
  gates: (GateState | undefined)[];
  serverNow: number;
  readAt: number;
}

export function createCouponReader({
  calls,
  gate,
  readStoreTime: now,
  isLedgerBehind,
}: CouponReaderOptions): CouponReader {
  async function readRows(where: SQL | undefined): Promise<Row[]> {
    const query = calls.readDb.select().from(coupons).where(where);
    return query.orderBy(asc(coupons.startsAt), asc(coupons.id));
  }

  /** Adds what Redis has of these coupons. */
  async function read(rows: Row[], { deadline }: Pick<Viewer, 'deadline'>): Promise<Reading> {
    const [serverNow, ...gates] = await Promise.all([
      now(deadline),
      ...rows.map(({ id }) => readCurrentState(gate, { couponId: id, deadline })),
    ]);
    return { rows, gates, serverNow, readAt: performance.now() };
  }

  const shown = createCachedRead(async (viewer: Viewer) => read(await readRows(isShown), viewer), {
    freshForMs: FRESH_FOR_MS,
  });
  const others = new LRUCache<string, Promise<Reading>>({
    max: MAX_OTHERS,
    ttl: FRESH_FOR_MS,
    ttlResolution: 0,
  });

  /** Returns readings that have these coupons, of which the new ones cost one query. */
  async function readOthers(ids: readonly string[], viewer: Viewer): Promise<Reading[]> {
    const known = ids.map((id) => others.get(id));
    const unread = ids.filter((_id, index) => !known[index]);
    if (unread.length > 0) {
      // The queue has the query alone: waiting for Redis takes no permit.
      const rows = calls.runRead(() => readRows(inArray(coupons.id, unread)));
      const reading = rows.then((found) => read(found, viewer));
      for (const id of unread) others.set(id, reading);
      reading.catch(() => {
        for (const id of unread) if (others.peek(id) === reading) others.delete(id);
      });
      known.push(reading);
    }
    return Promise.all(new Set(known.filter((reading) => reading !== undefined)));
  }

  /** Returns the wanted coupons of a reading as of now: a sale that begins or ends meanwhile does so in time. */
  function viewWhere(reading: Reading, isWanted: (row: Row) => boolean, { language }: Viewer): Coupon[] {
    const { rows, gates } = reading;
    const serverNow = presentOf(reading);
    return rows.flatMap((row, index) =>
      isWanted(row)
        ? toCoupon(row, { language, serverNow, gate: gates[index], isBehind: isLedgerBehind(row.id) })
        : [],
    );
  }

  return {
    async list(viewer, ids = []) {
      const reading = await shown.get(viewer);
      const listed = new Set(reading.rows.map(({ id }) => id));
      const unlisted = new Set(ids.filter((id) => !listed.has(id)));
      const more = unlisted.size > 0 ? await readOthers([...unlisted], viewer) : [];
      return {
        coupons: [
          ...viewWhere(reading, () => true, viewer),
          ...more.flatMap((other) => viewWhere(other, ({ id }) => unlisted.has(id), viewer)),
        ],
        serverNow: presentOf(reading),
      };
    },

    async byId(id, viewer) {
      const isWanted = (row: Row) => row.id === id;
      const listed = await shown.get(viewer);
      const [reading = listed] = listed.rows.some(isWanted) ? [] : await readOthers([id], viewer);
      const [coupon] = viewWhere(reading, isWanted, viewer);
      if (!coupon) throw new AppError('NOT_FOUND', `There is no coupon ${JSON.stringify(id)}.`);
      return { coupon, serverNow: presentOf(reading) };
    },

    async listOfMerchant(merchantId, viewer) {
      return viewWhere(await shown.get(viewer), (row) => row.merchantId === merchantId, viewer);
    },

    invalidate() {
      shown.invalidate();
      others.clear();
    },
  };
}

/** Redis's clock as of now, by the clock of a reading and the time since. */
function presentOf({ serverNow, readAt }: Pick<Reading, 'serverNow' | 'readAt'>): number {
  return serverNow + Math.round(performance.now() - readAt);
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
