import {
  and,
  asc,
  eq,
  exists,
  getTableColumns,
  gt,
  ilike,
  isNull,
  lte,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
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
 * are counted for the page only. A search reads the texts of all merchants.
 */
export async function findMerchants(
  db: Db,
  { language, limit, id, text, openAt, after }: MerchantQuery,
): Promise<ListedMerchant[]> {
  const isOwn = eq(coupons.merchantId, merchants.id);
  const hasOpen = exists(
    db
      .select({ id: coupons.id })
      .from(coupons)
      .where(
        and(
          isOwn,
          lte(coupons.startsAt, openAt),
          gt(coupons.endsAt, openAt),
          or(isNull(coupons.soldOutAt), gt(coupons.soldOutAt, openAt)),
        ),
      ),
  );
  const select = (isOpen: boolean, most: number) =>
    db
      .select({ ...getTableColumns(merchants), couponCount: db.$count(coupons, and(isOwn, isShown)) })
      .from(merchants)
      .where(
        and(
          isOpen ? hasOpen : not(hasOpen),
          id === undefined ? undefined : eq(merchants.id, id),
          after?.isOpen === isOpen ? gt(merchants.id, after.id) : undefined,
          text ? contains(text) : undefined,
        ),
      )
      .orderBy(asc(merchants.id))
      .limit(most);

  const open = after?.isOpen === false ? [] : await select(true, limit);
  const closed = open.length < limit ? await select(false, limit - open.length) : [];
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

/** All searched fields, one per line, for a single match. A search has no line break, so it matches within one field. */
const searched = sql`concat_ws(e'\\n', ${sql.join(
  [merchants.name, merchants.category, merchants.address].flatMap((field) => [
    sql`${field} ->> 'en'`,
    sql`${field} ->> 'zh'`,
  ]),
  sql`, `,
)})`;

/** Matches also the singular of an English plural, such as Noodle House for `noodles`. */
function contains(text: string): SQL {
  const singular = text.replace(/(?<=[a-z]{3})s$/i, '');
  return ilike(searched, `%${singular.replace(/[\\%_]/g, '\\$&')}%`);
}
