import { and, asc, eq, exists, getTableColumns, gt, isNull, lte, not, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { coupons, merchants } from '../db/schema';
import { isShown } from '../sale/coupon';
import type { Language } from '../trpc/context';

/** A merchant for shoppers, in the caller's language. */
export interface Merchant {
  id: string;
  name: string;
  category: string;
  address: string;
  about: string;
  /** Number of coupons that the shop shows, in any state. */
  couponCount: number;
}

/** A row of the list, with its sort key. */
export interface ListedMerchant extends Merchant {
  /** A coupon was on sale at `MerchantQuery.openAt`. */
  isOpen: boolean;
}

export interface MerchantQuery {
  language: Language;
  /** Maximum number of merchants. */
  limit: number;
  id?: string | undefined;
  /** Case-insensitive part of a name, a category or an address, in any language. */
  text?: string | undefined;
  /**
   * Instant at which coupons count as open. It is that of the first page for all pages, so that a sale that opens or ends
   * meanwhile shifts no page.
   */
  openAt: Date;
  /** Sort key of the last merchant of the previous page. */
  after?: Pick<ListedMerchant, 'isOpen' | 'id'> | undefined;
}

/**
 * Finds merchants: those with an open coupon first, then by id, so that a new or deleted merchant shifts no page. Coupons
 * are counted for the page only. The first part begins with the open coupons, which are few in a shop with many merchants.
 */
export async function findMerchants(
  db: Db,
  { language, limit, id, text, openAt, after }: MerchantQuery,
): Promise<ListedMerchant[]> {
  const isOwn = eq(coupons.merchantId, merchants.id);
  const isOpen = and(
    lte(coupons.startsAt, openAt),
    gt(coupons.endsAt, openAt),
    or(isNull(coupons.soldOutAt), gt(coupons.soldOutAt, openAt)),
  );
  const hasOpen = exists(db.select({ id: coupons.id }).from(coupons).where(and(isOwn, isOpen)));
  const rows = {
    ...getTableColumns(merchants),
    couponCount: db.$count(coupons, and(isOwn, isShown)).as('coupon_count'),
  };

  async function listOpen() {
    const open = db
      .selectDistinct({ id: coupons.merchantId })
      .from(coupons)
      .where(
        and(
          isOpen,
          id === undefined ? undefined : eq(coupons.merchantId, id),
          after ? gt(coupons.merchantId, after.id) : undefined,
        ),
      )
      .orderBy(asc(coupons.merchantId))
      .as('open');
    // The limit keeps the planner from reading all merchants for a join.
    const merchant = db
      .select(rows)
      .from(merchants)
      .where(and(eq(merchants.id, open.id), text ? hasText(text) : undefined))
      .limit(1)
      .as('merchant');
    const found = await db.select().from(open).crossJoinLateral(merchant).orderBy(asc(open.id)).limit(limit);
    return found.map((row) => row.merchant);
  }

  const listClosed = (most: number) =>
    db
      .select(rows)
      .from(merchants)
      .where(
        and(
          not(hasOpen),
          id === undefined ? undefined : eq(merchants.id, id),
          after?.isOpen === false ? gt(merchants.id, after.id) : undefined,
          text ? matchesMerchant(text) : undefined,
        ),
      )
      .orderBy(asc(merchants.id))
      .limit(most);

  const open = after?.isOpen === false ? [] : await listOpen();
  const closed = open.length < limit ? await listClosed(limit - open.length) : [];
  return [...open, ...closed].map(({ id, name, category, address, about, couponCount }, index) => ({
    id,
    name: name[language],
    category: category[language],
    address: address[language],
    about: about[language],
    couponCount,
    isOpen: index < open.length,
  }));
}

/** Returns the searched form of a text: the singular of an English plural, so that `noodles` finds Noodle House. */
function toSearched(text: string): string {
  return text.replace(/(?<=[a-z]{3})s$/i, '');
}

/**
 * Matches a part of a name, a category or an address: the fields are one text of a line each, and a search has no line break.
 * Not `ilike`: the planner estimates almost no rows for it, and would read and sort all matches of a common text.
 */
function hasText(text: string): SQL {
  const { name, category, address } = merchants;
  return sql`strpos(lower(merchant_text(${name}, ${category}, ${address})), lower(${toSearched(text)})) > 0`;
}

/** Matches the same by the index of the merchants that have each pair of characters of the text: docs/decisions/071. */
export function matchesMerchant(text: string): SQL | undefined {
  const { name, category, address } = merchants;
  const searched = toSearched(text);
  const size = [...searched].length === 1 ? 1 : 2;
  return and(
    sql`merchant_grams(${name}, ${category}, ${address}) @> search_grams(${searched}, ${size})`,
    hasText(text),
  );
}
