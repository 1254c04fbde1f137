import { and, asc, count, eq, gt, ilike, type SQL, sql } from 'drizzle-orm';
import { isShown } from '../coupons/is-shown';
import type { Db } from '../db/client';
import { coupons, merchants } from '../db/schema';
import type { Language } from '../trpc/language';
import type { Merchant } from './merchant';

export interface MerchantQuery {
  language: Language;
  /** The most to answer. */
  limit: number;
  id?: string | undefined;
  /** Part of a name, a category or an address in any language, in any case. */
  text?: string | undefined;
  /** The id of the last merchant of the page before. */
  after?: string | undefined;
}

/** Merchants in the order of their ids, which is stable: a merchant that comes or goes shifts no page. */
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

/** All searched texts as one, a line each, so that one match tells; a search has no line break and stays within a field. */
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
