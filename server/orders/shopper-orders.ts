import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { orders } from '../db/schema';
import { AppError } from '../errors';
import { encodeCursor } from '../trpc/cursor';
import type { Order } from './order';
import { orderColumns, toOrder } from './order-row';

/** The sort key of a list of orders: newest first. */
export type OrderCursor = [createdAt: number, id: string];

/** A shopper's orders: those in Postgres, and those that are only reserved. */
export interface ShopperOrders {
  list(query: {
    userId: string;
    cursor?: OrderCursor | undefined;
  }): Promise<{ orders: Order[]; nextCursor?: string }>;
  /** Throws NOT_FOUND where there is no such order of this shopper. */
  byId(query: { userId: string; id: string }): Promise<Order>;
  /** An order that the gate has accepted: as the ledger has it, else as reserved. */
  find(accepted: { id: string; couponId: string; userId: string; createdAt: number }): Promise<Order>;
}

export interface ShopperOrdersDeps {
  db: Db;
  /** What is reserved for a shopper and not settled yet. */
  reservationsOf: (userId: string) => Promise<Order[]>;
}

const PAGE = 20;

export function createShopperOrders({ db, reservationsOf }: ShopperOrdersDeps): ShopperOrders {
  async function written(ids: readonly string[]): Promise<Order[]> {
    if (ids.length === 0) return [];
    const rows = await db
      .select(orderColumns)
      .from(orders)
      .where(inArray(orders.id, [...ids]));
    return rows.map(toOrder);
  }

  /** Between the ledger's commit and its acknowledgement an order is in both places; Postgres is right. */
  async function unwritten(userId: string): Promise<Order[]> {
    const reserved = await reservationsOf(userId);
    const known = new Set((await written(reserved.map(({ id }) => id))).map(({ id }) => id));
    return reserved.filter(({ id }) => !known.has(id));
  }

  return {
    async list({ userId, cursor }) {
      const after =
        cursor &&
        sql`(${orders.createdAt}, ${orders.id}) < (to_timestamp(${cursor[0]} / 1000.0), ${cursor[1]})`;
      const rows = await db
        .select(orderColumns)
        .from(orders)
        .where(and(eq(orders.userId, userId), after))
        .orderBy(desc(orders.createdAt), desc(orders.id))
        .limit(PAGE + 1);
      const page = rows.slice(0, PAGE).map(toOrder);
      const last = page.at(-1);
      const reserved = cursor ? [] : await unwritten(userId);
      return {
        orders: [...reserved, ...page].sort((one, other) => other.createdAt - one.createdAt),
        ...(rows.length > PAGE && last && { nextCursor: encodeCursor([last.createdAt, last.id]) }),
      };
    },

    async byId({ userId, id }) {
      const [order] = await written([id]);
      const found = order ?? (await reservationsOf(userId)).find((reserved) => reserved.id === id);
      if (found?.userId !== userId)
        throw new AppError('NOT_FOUND', `You have no order ${JSON.stringify(id)}.`);
      return found;
    },

    async find(accepted) {
      const [order] = await written([accepted.id]);
      const { id, couponId, userId, createdAt } = accepted;
      return order ?? { id, couponId, userId, status: 'reserved', createdAt };
    },
  };
}
