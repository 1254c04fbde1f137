import { and, asc, desc, eq, gt, isNull, ne, or, type SQL } from 'drizzle-orm';
import type { Db } from '../db/client';
import { coupons, isAfterCursor, merchants, type orderStatus, orders } from '../db/schema';
import { matchesMerchant } from '../merchants/find-merchants';
import { type CouponCursor, type CouponRow, readCouponPage } from '../sale/coupons/coupon-pages';
import { isHeld, type Order, orderColumnsWithPayment, toOrder } from '../sale/order';
import type { Localized } from '../trpc/context';
import { encodeCursor, type RowCursor } from '../trpc/inputs';

/** A coupon for operators: all editable fields, in every language. Instants in epoch ms. */
export interface OpsCoupon {
  id: string;
  merchantId: string;
  merchantName: Localized;
  /** The category of the merchant. */
  category: Localized;
  kind: 'seckill' | 'claim';
  title: Localized;
  faceValueCents: number;
  priceCents: number;
  /** Number of orders that are neither cancelled nor expired. */
  sold: number;
  /** Null for a claim. */
  stock: { total: number; sold: number } | null;
  startsAt: number;
  endsAt: number;
  /** Incremented by each change of an operator. */
  revision: number;
  createdAt: number;
}

export interface OpsCouponPage {
  /** Live ones by end, then upcoming ones by start, then sold-out and ended ones, the last end first. */
  coupons: OpsCoupon[];
  /** Epoch ms by the clock of the node. */
  serverNow: number;
  nextCursor?: string;
}

export interface OpsOrderPage {
  /** Newest first, without orders that are only reserved. */
  orders: OpsOrder[];
  nextCursor?: string;
}

export interface OpsOrder extends Order {
  couponTitle: Localized;
  /** Distinguishes the rounds of a sale, which have one title. Epoch ms. */
  couponStartsAt: number;
  priceCents: number;
}

/** A merchant in the form of a new coupon. */
export interface OpsMerchant {
  id: string;
  name: Localized;
}

export interface OpsMerchantPage {
  merchants: OpsMerchant[];
  nextCursor?: string;
}

export interface MerchantsQuery {
  /** Case-insensitive part of a name, a category or an address, in any language. */
  text?: string | undefined;
  cursor?: [id: string] | undefined;
}

/**
 * The states of an order as its shopper sees them. A confirmed order with a hold must be paid; a paid order and a confirmed
 * one without a hold are ready to use.
 */
export const shownStates = ['held', 'ready'] as const;

export interface OrdersQuery {
  couponId?: string | undefined;
  status?: (typeof orderStatus.enumValues)[number] | (typeof shownStates)[number] | undefined;
  after?: RowCursor | undefined;
}

/** The rows of the sale in Postgres, for operators. */
export interface SaleRows {
  /** Lists all coupons, including those that the shop no longer shows. */
  coupons(query: { cursor?: CouponCursor | undefined }): Promise<OpsCouponPage>;
  orders(query: OrdersQuery): Promise<OpsOrderPage>;
  /** Lists merchants by id, or those that match a text. */
  merchants(query: MerchantsQuery): Promise<OpsMerchantPage>;
}

const PAGE = 50;
/** About 55 kB with names of 80 characters. */
const MERCHANTS_PER_PAGE = 100;

/** Reads the sales tables from Postgres. Orders come newest first, 50 per page. */
export function createSaleRows({ db }: { db: Db }): SaleRows {
  return {
    async coupons({ cursor }) {
      const { rows, nextCursor } = await readCouponPage(db, { cursor, isForOperators: true });
      return {
        coupons: rows.map(toOpsCoupon),
        serverNow: Date.now(),
        ...(nextCursor && { nextCursor }),
      };
    },

    async orders({ couponId, status, after }) {
      const matchesQuery = and(
        couponId === undefined ? undefined : eq(orders.couponId, couponId),
        hasStatus(status),
        isAfterCursor(after, orders),
        // The condition of the index `orders_newest`.
        ne(orders.code, ''),
      );
      const rows = await db
        .select({
          order: orderColumnsWithPayment,
          title: coupons.title,
          startsAt: coupons.startsAt,
          priceCents: coupons.priceCents,
        })
        .from(orders)
        .innerJoin(coupons, eq(coupons.id, orders.couponId))
        .where(matchesQuery)
        .orderBy(desc(orders.createdAt), desc(orders.id))
        .limit(PAGE + 1);
      const page = rows.slice(0, PAGE);
      const last = page.at(-1)?.order;
      return {
        orders: page.map(({ order, title, startsAt, priceCents }) => ({
          ...toOrder(order),
          ...{ couponTitle: title, couponStartsAt: startsAt.getTime(), priceCents },
        })),
        ...(rows.length > PAGE && last && { nextCursor: cursorAt(last) }),
      };
    },

    async merchants({ text, cursor }) {
      const rows = await db
        .select({ id: merchants.id, name: merchants.name })
        .from(merchants)
        .where(and(text ? matchesMerchant(text) : undefined, cursor && gt(merchants.id, cursor[0])))
        .orderBy(asc(merchants.id))
        .limit(MERCHANTS_PER_PAGE + 1);
      const page = rows.slice(0, MERCHANTS_PER_PAGE);
      const last = page.at(-1);
      return {
        merchants: page,
        ...(rows.length > MERCHANTS_PER_PAGE && last && { nextCursor: encodeCursor([last.id]) }),
      };
    },
  };
}

function hasStatus(status: OrdersQuery['status']): SQL | undefined {
  if (status === undefined) return undefined;
  if (status === 'held') return isHeld;
  if (status === 'ready')
    return or(eq(orders.status, 'paid'), and(eq(orders.status, 'confirmed'), isNull(orders.holdUntil)));
  return eq(orders.status, status);
}

function toOpsCoupon({ merchant, ...row }: CouponRow): OpsCoupon {
  const { id, merchantId, kind, title, faceValueCents, priceCents, stock, sold, revision } = row;
  return {
    ...{ id, merchantId, merchantName: merchant.name, category: merchant.category },
    ...{ kind, title, faceValueCents, priceCents, sold },
    stock: stock === null ? null : { total: stock, sold },
    startsAt: row.startsAt.getTime(),
    endsAt: row.endsAt.getTime(),
    revision,
    createdAt: row.createdAt.getTime(),
  };
}

function cursorAt({ createdAt, id }: { createdAt: Date; id: string }): string {
  return encodeCursor([createdAt.getTime(), id]);
}
