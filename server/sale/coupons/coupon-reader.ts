import { inArray } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { CallAccess, Db } from '../../db/client';
import { coupons } from '../../db/schema';
import { notFoundError } from '../../errors';
import type { Context, Language } from '../../trpc/context';
import type { Coupon, CouponState } from '../coupon';
import { lastKnown } from '../gate/coupon-queries';
import { type Gate, type GateState, readCurrentState } from '../gate/gate';
import type { ReadStoreTime } from '../gate/read-store-time';
import { createCachedRead } from './cached-read';
import {
  type CouponCursor,
  type CouponPageQuery,
  type CouponRow,
  type CouponRowPage,
  readCouponPage,
  readListVersion,
  selectCoupons,
} from './coupon-pages';

/** The language of a reader, and the end of its wait for Redis. */
export type ReadOptions = Pick<Context, 'language' | 'deadline'>;

/**
 * Reads coupons as shoppers see them: their rows in Postgres, and the remaining stock of their gates. Coupons and stock are
 * at most 250 ms old, and states are computed for the current time. Concurrent calls for the first page, and for one
 * coupon, share one read.
 */
export interface CouponReader {
  /** Returns a page of the shown coupons, and those of `ids` that exist and are not on it, shown or not. */
  list(options: ReadOptions, query?: CouponListQuery): Promise<CouponList>;
  /** Throws NOT_FOUND. */
  byId(id: string, options: ReadOptions): Promise<{ coupon: Coupon; serverNow: number }>;
  /** Returns a page of the shown coupons of a merchant. */
  listCouponsOfMerchant(
    query: { merchantId: string; cursor?: CouponCursor | undefined },
    options: ReadOptions,
  ): Promise<CouponPage>;
  /** Returns the `version` of the list, at most 500 ms old; the last known one while Postgres is down. */
  readVersion(): Promise<string>;
  /** Drops the cached reads after a change on this node. */
  invalidate(): void;
}

interface CouponListQuery {
  cursor?: CouponCursor | undefined;
  ids?: readonly string[] | undefined;
}

/** A page of coupons. */
export interface CouponPage {
  coupons: Coupon[];
  /** Absent on the last page. */
  nextCursor?: string;
}

interface CouponList extends CouponPage {
  /** Changes with each insertion and each operator's change of a coupon. */
  version: string;
  serverNow: number;
}

const FRESH_FOR_MS = 250;
/** The version is in the live stream, which promises a change within two seconds. */
const VERSION_FRESH_FOR_MS = 500;
/** Cached coupons outside of the first page, including ids that do not exist. */
const MAX_OTHERS = 1_000;

/** Coupons in both stores at one instant. */
interface Reading {
  rows: CouponRow[];
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
  /** Adds the state of the gates. */
  async function readGates(rows: CouponRow[], { deadline }: Pick<ReadOptions, 'deadline'>): Promise<Reading> {
    const [serverNow, ...gates] = await Promise.all([
      readStoreTime(deadline),
      ...rows.map(({ id }) => readCurrentState(gate, { couponId: id, deadline })),
    ]);
    return { rows, gates, serverNow, readAt: performance.now() };
  }

  async function readRowPage(query: CouponPageQuery): Promise<CouponRowPage & { version: string }> {
    // Read first: a change in between makes readers read the list again.
    const version = await readListVersion(calls.readDb);
    return { ...(await readCouponPage(calls.readDb, query)), version };
  }

  async function addGates(page: CouponRowPage & { version: string }, options: ReadOptions) {
    const { rows, ...rest } = page;
    return { ...rest, reading: await readGates(rows, options) };
  }

  const firstPage = createCachedRead(
    async (options: ReadOptions) => addGates(await readRowPage({}), options),
    { freshForMs: FRESH_FOR_MS },
  );

  // The queue runs the queries only: the wait for Redis takes no permit.
  const readPage = async (query: CouponPageQuery, options: ReadOptions) =>
    addGates(await calls.runRead(() => readRowPage(query)), options);

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
      const rows = calls.runRead(async () => selectCoupons(calls.readDb, inArray(coupons.id, unread)));
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
  function viewWhere(
    reading: Reading,
    { language }: ReadOptions,
    isWanted: (id: string) => boolean = () => true,
  ): Coupon[] {
    const { rows, gates } = reading;
    const serverNow = storeTimeOf(reading);
    return rows.flatMap((row, index) =>
      isWanted(row.id)
        ? toCoupon(row, { language, serverNow, gate: gates[index], isBehind: isLedgerBehind(row.id) })
        : [],
    );
  }

  return {
    readVersion: lastKnown(() => readListVersion(db), VERSION_FRESH_FOR_MS),

    async list(options, { cursor, ids = [] } = {}) {
      const { reading, ...page } = await (cursor ? readPage({ cursor }, options) : firstPage.get(options));
      const listed = new Set(reading.rows.map(({ id }) => id));
      const unlisted = new Set(ids.filter((id) => !listed.has(id)));
      const more = unlisted.size > 0 ? await readOthers([...unlisted], options) : [];
      return {
        coupons: [
          ...viewWhere(reading, options),
          ...more.flatMap((other) => viewWhere(other, options, (id) => unlisted.has(id))),
        ],
        ...page,
        serverNow: storeTimeOf(reading),
      };
    },

    async byId(id, options) {
      const { reading: listed } = await firstPage.get(options);
      const isListed = listed.rows.some((row) => row.id === id);
      const [reading = listed] = isListed ? [] : await readOthers([id], options);
      const [coupon] = viewWhere(reading, options, (one) => one === id);
      if (!coupon) throw notFoundError('coupon', id);
      return { coupon, serverNow: storeTimeOf(reading) };
    },

    async listCouponsOfMerchant(query, options) {
      const { reading, nextCursor } = await readPage(query, options);
      return { coupons: viewWhere(reading, options), ...(nextCursor !== undefined && { nextCursor }) };
    },

    invalidate() {
      firstPage.invalidate();
      others.clear();
    },
  };
}

/** Returns Redis's current time, from the clock of a reading and its age. */
function storeTimeOf({ serverNow, readAt }: Pick<Reading, 'serverNow' | 'readAt'>): number {
  return serverNow + Math.round(performance.now() - readAt);
}

function toCoupon(
  row: CouponRow,
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
  { startsAt, endsAt }: CouponRow,
  { serverNow, isSoldOut, isOpen }: { serverNow: number; isSoldOut: boolean; isOpen: boolean },
): CouponState {
  if (serverNow >= endsAt.getTime()) return 'ended';
  if (serverNow < startsAt.getTime()) return 'upcoming';
  if (isSoldOut) return 'sold-out';
  return isOpen ? 'live' : 'paused';
}
