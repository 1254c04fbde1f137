import { gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import { coupons } from './schema';

/** Selects the coupons whose next round opened within this interval. */
export const nextRoundOpenedWithin = (interval: SQL): SQL =>
  gt(coupons.nextRoundAt, sql`now() - ${interval}`);

/** Selects the coupons without a next round, and those whose next round opened less than 2 minutes ago. */
export const isCurrentRound = or(
  isNull(coupons.nextRoundAt),
  nextRoundOpenedWithin(sql`interval '2 minutes'`),
);
