import { and, asc, count, desc, eq, gt, ilike, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
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

/** Finds merchants: those with an open coupon first, then by id, so that a new or deleted merchant shifts no page. */
export async function findMerchants(
  db: Db,
  { language, limit, id, text, openAt, after }: MerchantQuery,
): Promise<ListedMerchant[]> {
  const shown = db
    .select({ merchantId: coupons.merchantId, couponCount: count().as('coupon_count') })
    .from(coupons)
    .where(isShown)
    .groupBy(coupons.merchantId)
    .as('shown');
  const open = db
    .selectDistinct({ merchantId: coupons.merchantId })
    .from(coupons)
    .where(
      and(
        lte(coupons.startsAt, openAt),
        gt(coupons.endsAt, openAt),
        or(isNull(coupons.soldOutAt), gt(coupons.soldOutAt, openAt)),
      ),
    )
    .as('open');
  const isOpen = sql<boolean>`${open.merchantId} is not null`;

  const rows = await db
    .select({ merchant: merchants, couponCount: shown.couponCount, isOpen })
    .from(merchants)
    .leftJoin(shown, eq(shown.merchantId, merchants.id))
    .leftJoin(open, eq(open.merchantId, merchants.id))
    .where(
      and(
        id === undefined ? undefined : eq(merchants.id, id),
        after && isAfter(after),
        text ? contains(text) : undefined,
      ),
    )
    .orderBy(desc(isOpen), asc(merchants.id))
    .limit(limit);

  return rows.map(({ merchant, couponCount, isOpen }) => ({
    id: merchant.id,
    name: merchant.name[language],
    category: merchant.category[language],
    address: merchant.address[language],
    about: merchant.about[language],
    couponCount: couponCount ?? 0,
    isOpen,
  }));

  function isAfter({ isOpen: wasOpen, id: last }: Pick<ListedMerchant, 'isOpen' | 'id'>): SQL | undefined {
    const follows = gt(merchants.id, last);
    return wasOpen ? or(follows, isNull(open.merchantId)) : and(follows, isNull(open.merchantId));
  }
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
