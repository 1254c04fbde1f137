import { and, asc, count, eq, gt, ilike, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { coupons, merchants } from '../db/schema';
import { isShown } from '../sale/coupons/coupon';
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

export interface MerchantQuery {
  language: Language;
  /** Maximum number of merchants. */
  limit: number;
  id?: string | undefined;
  /** Case-insensitive part of a name, a category or an address, in any language. */
  text?: string | undefined;
  /** Id of the last merchant of the previous page. */
  after?: string | undefined;
}

/** Finds merchants, ordered by id, so that a new or deleted merchant shifts no page. */
export async function findMerchants(
  db: Db,
  { language, limit, id, text, after }: MerchantQuery,
): Promise<Merchant[]> {
  const shown = db
    .select({ merchantId: coupons.merchantId, couponCount: count().as('coupon_count') })
    .from(coupons)
    .where(isShown)
    .groupBy(coupons.merchantId)
    .as('shown');

  const rows = await db
    .select({ merchant: merchants, couponCount: shown.couponCount })
    .from(merchants)
    .leftJoin(shown, eq(shown.merchantId, merchants.id))
    .where(
      and(
        id === undefined ? undefined : eq(merchants.id, id),
        after === undefined ? undefined : gt(merchants.id, after),
        text ? contains(text) : undefined,
      ),
    )
    .orderBy(asc(merchants.id))
    .limit(limit);

  return rows.map(({ merchant, couponCount }) => ({
    id: merchant.id,
    name: merchant.name[language],
    category: merchant.category[language],
    address: merchant.address[language],
    about: merchant.about[language],
    couponCount: couponCount ?? 0,
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

function contains(text: string): SQL {
  return ilike(searched, `%${text.replace(/[\\%_]/g, '\\$&')}%`);
}
