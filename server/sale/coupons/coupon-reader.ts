import { createHash } from 'node:crypto';
import { asc, eq, getTableColumns, inArray, type SQL } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { CallAccess, Db } from '../../db/client';
import { coupons, merchants } from '../../db/schema';
import { notFoundError } from '../../errors';
import type { Context, Language } from '../../trpc/context';
import { type Coupon, type CouponState, isShown } from '../coupon';
import { type CouponQueries, lastKnown } from '../gate/coupon-queries';
import { type Gate, type GateState, readCurrentState } from '../gate/gate';
import type { ReadStoreTime } from '../gate/read-store-time';
import { createCachedRead } from './cached-read';

/** A coupon with its merchant. */
type Row = typeof coupons.$inferSelect & {
  merchant: Pick<typeof merchants.$inferSelect, 'name' | 'category' | 'address'>;
};

/** The language of a reader, and the end of its wait for Redis. */
export type ReadOptions = Pick<Context, 'language' | 'deadline'>;

/**
 * Reads coupons as shoppers see them: their rows in Postgres, and the remaining stock of their gates. Coupons and stock are
 * at most 250 ms old, and states are computed for the current time. Concurrent calls share one read.
 */
export interface CouponReader {
  /** Returns the shown coupons, and those of `ids` that exist, shown or not. */
  list(options: ReadOptions, ids?: readonly string[]): Promise<CouponList>;
  /** Throws NOT_FOUND. */
  byId(id: string, options: ReadOptions): Promise<{ coupon: Coupon; serverNow: number }>;
  listCouponsOfMerchant(merchantId: string, options: ReadOptions): Promise<Coupon[]>;
  /** Returns the `version` of the shown coupons, at most 500 ms old; the last known one while Postgres is down. */
  readVersion(): Promise<string>;
  /** Drops the cached reads after a change on this node. */
  invalidate(): void;
}

interface CouponList {
  coupons: Coupon[];
  /** Changes when a shown coupon is added, changed or removed, apart from its stock. */
  version: string;
  serverNow: number;
}

const FRESH_FOR_MS = 250;
/** The version is in the live stream, which promises a change within two seconds. */
const VERSION_FRESH_FOR_MS = 500;
/** Cached coupons that are not shown, including ids that do not exist. */
const MAX_OTHERS = 1_000;

/** Coupons in both stores at one instant. */
interface Reading {
  rows: Row[];
  gates: (GateState | undefined)[];
  serverNow: number;
  readAt: number;
}

/** Creates the coupon reader of a node. */
export function createCouponReader({
  db,
  calls,
  gate,
  readStoreTime,
  isLedgerBehind,
}: {
  /** For the version in the live stream, which must not wait behind the reads of calls. */
  db: Db;
  calls: Pick<CallAccess, 'readDb' | 'runRead'>;
  gate: Gate;
  readStoreTime: ReadStoreTime;
  /** Returns true if the coupon's gate is paused because of unwritten orders. */
  isLedgerBehind: (couponId: string) => boolean;
}): CouponReader {
  async function readRows(where: SQL | undefined, from: Db = calls.readDb): Promise<Row[]> {
    const { name, category, address } = merchants;
    const query = from
      .select({ ...getTableColumns(coupons), merchant: { name, category, address } })
      .from(coupons)
      .innerJoin(merchants, eq(merchants.id, coupons.merchantId))
      .where(where);
    return query.orderBy(asc(coupons.startsAt), asc(coupons.id));
  }

  /** Adds the state of the gates. */
  async function readGates(rows: Row[], { deadline }: Pick<ReadOptions, 'deadline'>): Promise<Reading> {
    const [serverNow, ...gates] = await Promise.all([
      readStoreTime(deadline),
      ...rows.map(({ id }) => readCurrentState(gate, { couponId: id, deadline })),
    ]);
    return { rows, gates, serverNow, readAt: performance.now() };
  }

  const shown = createCachedRead(
    async (options: ReadOptions) => readGates(await readRows(isShown), options),
    {
      freshForMs: FRESH_FOR_MS,
    },
  );
  const others = new LRUCache<string, Promise<Reading>>({
    max: MAX_OTHERS,
    ttl: FRESH_FOR_MS,
    ttlResolution: 0,
  });

  /** Returns readings that contain these coupons. Those that are not cached cost one query. */
  async function readOthers(ids: readonly string[], options: ReadOptions): Promise<Reading[]> {
    const known = ids.map((id) => others.get(id));
    const unread = ids.filter((_id, index) => !known[index]);
    if (unread.length > 0) {
      // The queue runs the query only: the wait for Redis takes no permit.
      const rows = calls.runRead(() => readRows(inArray(coupons.id, unread)));
      const reading = rows.then((found) => readGates(found, options));
      for (const id of unread) others.set(id, reading);
      reading.catch(() => {
        for (const id of unread) if (others.peek(id) === reading) others.delete(id);
      });
      known.push(reading);
    }
    return Promise.all(new Set(known.filter((reading) => reading !== undefined)));
  }

  /** Returns the wanted coupons of a reading with their states at the current time. */
  function viewWhere(reading: Reading, isWanted: (row: Row) => boolean, { language }: ReadOptions): Coupon[] {
    const { rows, gates } = reading;
    const serverNow = storeTimeOf(reading);
    return rows.flatMap((row, index) =>
      isWanted(row)
        ? toCoupon(row, { language, serverNow, gate: gates[index], isBehind: isLedgerBehind(row.id) })
        : [],
    );
  }

  const readVersion = lastKnown(async () => versionOf(await readRows(isShown, db)), VERSION_FRESH_FOR_MS);

  return {
    readVersion,

    async list(options, ids = []) {
      const reading = await shown.get(options);
      const listed = new Set(reading.rows.map(({ id }) => id));
      const unlisted = new Set(ids.filter((id) => !listed.has(id)));
      const more = unlisted.size > 0 ? await readOthers([...unlisted], options) : [];
      return {
        coupons: [
          ...viewWhere(reading, () => true, options),
          ...more.flatMap((other) => viewWhere(other, ({ id }) => unlisted.has(id), options)),
        ],
        version: versionOf(reading.rows),
        serverNow: storeTimeOf(reading),
      };
    },

    async byId(id, options) {
      const isWanted = (row: Row) => row.id === id;
      const listed = await shown.get(options);
      const [reading = listed] = listed.rows.some(isWanted) ? [] : await readOthers([id], options);
      const [coupon] = viewWhere(reading, isWanted, options);
      if (!coupon) throw notFoundError('coupon', id);
      return { coupon, serverNow: storeTimeOf(reading) };
    },

    async listCouponsOfMerchant(merchantId, options) {
      return viewWhere(await shown.get(options), (row) => row.merchantId === merchantId, options);
    },

    invalidate() {
      shown.invalidate();
      others.clear();
    },
  };
}

/** Returns a text that changes with the fields of coupons that an operator can change. */
function versionOf(rows: readonly Row[]): string {
  const shown = rows.map(({ id, merchantId, merchant, kind, title, ...row }) => {
    const { faceValueCents, priceCents, stock, startsAt, endsAt, series } = row;
    return [
      id,
      merchantId,
      merchant,
      kind,
      title,
      faceValueCents,
      priceCents,
      stock,
      startsAt,
      endsAt,
      series,
    ];
  });
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 8);
}

/** Lists the remaining stock of every shown seckill: from its gate, or from the ledger if the gate has no state. */
export async function listStock({
  couponQueries,
  gate,
}: {
  couponQueries: CouponQueries;
  gate: Gate;
}): Promise<{ couponId: string; remaining: number }[]> {
  const rows = await couponQueries.listStockedCoupons();
  return Promise.all(
    rows.map(async ({ id, left }) => {
      const state = await readCurrentState(gate, { couponId: id });
      return { couponId: id, remaining: state?.remaining ?? left };
    }),
  );
}

/** Returns Redis's current time, from the clock of a reading and its age. */
function storeTimeOf({ serverNow, readAt }: Pick<Reading, 'serverNow' | 'readAt'>): number {
  return serverNow + Math.round(performance.now() - readAt);
}

function toCoupon(
  row: Row,
  {
    language,
    serverNow,
    gate,
    isBehind,
  }: { language: Language; serverNow: number; gate: GateState | undefined; isBehind: boolean },
): Coupon {
  const remaining = gate?.remaining ?? (row.stock ?? 0) - row.sold;
  return {
    id: row.id,
    merchantId: row.merchantId,
    merchant: {
      name: row.merchant.name[language],
      category: row.merchant.category[language],
      address: row.merchant.address[language],
    },
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
    ...(row.series !== null && { hasNextRound: true }),
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
