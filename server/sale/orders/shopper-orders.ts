import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import { createCallerQueues } from '../../db/call-queue';
import type { CallAccess } from '../../db/client';
import { isAfterCursor, orders } from '../../db/schema';
import { AppError } from '../../errors';
import { StoreUnavailableError, withinStoreTimeout } from '../../limiter/index';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import { encodeCursor, type RowCursor } from '../../trpc/inputs';
import { isHeld, type Order, orderColumnsWithPayment, toOrder } from '../order';

/**
 * Reads a shopper's orders: those in Postgres, and those that are only reserved. Reservations are read first, because the
 * ledger writes an order before it deletes the reservation. The opposite order could miss it in both.
 */
export interface ShopperOrders {
  /** Lists the newest orders. The first page also has all orders that must be paid, and no later page has any. */
  list(query: {
    userId: string;
    cursor?: RowCursor | undefined;
  }): Promise<{ orders: Order[]; nextCursor?: string }>;
  /** Throws NOT_FOUND if this shopper has no such order. */
  byId(query: { userId: string; id: string }): Promise<Order>;
  /** Finds an order of this shopper in Postgres. */
  findWrittenOrder(query: { userId: string; id: string }): Promise<Order | undefined>;
  /** Finds the order of a request id of this shopper in Postgres. */
  findOrderOfRequest(request: {
    couponId: string;
    userId: string;
    requestId: string;
  }): Promise<Order | undefined>;
}

const PAGE_SIZE = 20;
/** Waiting reads of one shopper: two full batches. */
const MAX_WAITING_OF_SHOPPER = 20;

/** Creates the reads. They run one at a time per shopper: a flood of one delays no other shopper. */
export function createShopperOrders({
  calls: { readDb, runRead },
  findReservationsOf,
}: {
  calls: Pick<CallAccess, 'readDb' | 'runRead'>;
  /** Finds the shopper's orders that are not settled. */
  findReservationsOf: (userId: string) => Promise<Order[]>;
}): ShopperOrders {
  const runForShopper = createCallerQueues({ maxWaiting: MAX_WAITING_OF_SHOPPER });

  async function findWritten(ids: readonly string[]): Promise<Order[]> {
    if (ids.length === 0) return [];
    const rows = await runRead(() =>
      readDb
        .select(orderColumnsWithPayment)
        .from(orders)
        .where(inArray(orders.id, [...ids])),
    );
    return rows.map(toOrder);
  }

  async function readPage(userId: string, cursor: RowCursor | undefined) {
    return runRead(() =>
      readDb
        .select(orderColumnsWithPayment)
        .from(orders)
        .where(
          and(eq(orders.userId, userId), isAfterCursor(cursor, orders), cursor && sql`${isHeld} is not true`),
        )
        .orderBy(desc(orders.createdAt), desc(orders.id))
        .limit(PAGE_SIZE + 1),
    );
  }

  /** Reads the orders to pay that are older than this row. A hold lasts minutes, so they are few. */
  async function readOlderHolds(userId: string, last: RowCursor) {
    return runRead(() =>
      readDb
        .select(orderColumnsWithPayment)
        .from(orders)
        .where(and(eq(orders.userId, userId), isAfterCursor(last, orders), isHeld))
        .limit(PAGE_SIZE),
    );
  }

  const reads: ShopperOrders = {
    async list({ userId, cursor }) {
      const reserved = cursor ? [] : await findReservationsOf(userId);
      const rows = await readPage(userId, cursor);
      const page = rows.slice(0, PAGE_SIZE).map(toOrder);
      const lastRow = rows.length > PAGE_SIZE ? page.at(-1) : undefined;
      const last: RowCursor | undefined = lastRow && [lastRow.createdAt, lastRow.id];
      const olderHolds = last && !cursor ? (await readOlderHolds(userId, last)).map(toOrder) : [];
      const known = new Set((await findWritten(reserved.map(({ id }) => id))).map(({ id }) => id));
      const unwritten = reserved.filter(({ id }) => !known.has(id));
      return {
        orders: [...unwritten, ...page, ...olderHolds].sort((one, other) => other.createdAt - one.createdAt),
        ...(last && { nextCursor: encodeCursor(last) }),
      };
    },

    async byId({ userId, id }) {
      const reserved = (await findReservationsOf(userId)).find((order) => order.id === id);
      const [order] = await findWritten([id]);
      const found = order ?? reserved;
      if (found?.userId !== userId)
        throw new AppError('NOT_FOUND', `You have no order ${JSON.stringify(id)}.`);
      return found;
    },

    async findWrittenOrder({ userId, id }) {
      const [order] = await findWritten([id]);
      return order?.userId === userId ? order : undefined;
    },

    async findOrderOfRequest({ couponId, userId, requestId }) {
      const [row] = await runRead(() =>
        readDb
          .select(orderColumnsWithPayment)
          .from(orders)
          .where(
            and(eq(orders.couponId, couponId), eq(orders.userId, userId), eq(orders.requestId, requestId)),
          ),
      );
      return row && toOrder(row);
    },
  };

  return {
    list: (query) => runForShopper(query.userId, () => reads.list(query)),
    byId: (query) => runForShopper(query.userId, () => reads.byId(query)),
    findWrittenOrder: (query) => runForShopper(query.userId, () => reads.findWrittenOrder(query)),
    findOrderOfRequest: (request) => runForShopper(request.userId, () => reads.findOrderOfRequest(request)),
  };
}

const RESERVATIONS_TIMEOUT_MS = 250;

/**
 * Finds the shopper's orders of these coupons that the gate has accepted and the ledger has not written. For a day this
 * includes orders that the ledger could not write, as cancelled. Returns none while Redis is down.
 */
export async function findReservations(
  redis: RedisClient,
  { userId, couponIds }: { userId: string; couponIds: readonly string[] },
): Promise<Order[]> {
  try {
    const reads = couponIds.map(async (couponId) => {
      const reading = redis.hgetall(saleKeys(couponId).reservations(userId));
      const reserved = await withinStoreTimeout(reading, RESERVATIONS_TIMEOUT_MS);
      return Object.entries(reserved).map(([id, stored]): Order => {
        const [createdAt, isCancelled] = parseReservation(stored);
        return { id, couponId, userId, status: isCancelled ? 'cancelled' : 'reserved', createdAt };
      });
    });
    return (await Promise.all(reads)).flat();
  } catch (error) {
    if (error instanceof StoreUnavailableError) return [];
    throw error;
  }
}

/** Parses `<ms>` of `purchase.lua` and `cancelled <ms>` of `dead-letter.lua`. */
function parseReservation(stored: string): [createdAt: number, isCancelled: boolean] {
  const createdAt = stored.replace(/^cancelled /, '');
  return [Number(createdAt), createdAt !== stored];
}
