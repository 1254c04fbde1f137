import { and, gt, isNull, lte, or, sql } from 'drizzle-orm';
import { coupons } from '../../db/schema';

/**
 * Which coupons the shop shows: those that end later or ended within a day. A round that sold out and was followed by
 * another is shown for two minutes more; otherwise a long day of demos would fill the page with them.
 */
export const isShown = and(
  gt(coupons.endsAt, sql`now() - interval '1 day'`),
  or(
    isNull(coupons.nextRoundAt),
    gt(coupons.nextRoundAt, sql`now() - interval '2 minutes'`),
    and(lte(coupons.endsAt, sql`now()`), isNull(coupons.soldOutAt)),
  ),
);
