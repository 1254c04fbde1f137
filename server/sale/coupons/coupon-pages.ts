import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../../db/client';
import { coupons, merchants } from '../../db/schema';
import { cursorInput, encodeCursor, idInput } from '../../trpc/inputs';
import { isShown } from '../coupon';

/** A coupon with its merchant. */
export type CouponRow = typeof coupons.$inferSelect & {
  merchant: Pick<typeof merchants.$inferSelect, 'name' | 'category' | 'address'>;
};

/** The sections of a list in their order, after the featured coupon. */
const SECTIONS = ['live', 'upcoming', 'sold-out', 'ended'] as const;

/** The largest instant of JavaScript is 8.64e15. */
const instant = z.int().min(0).max(8.64e15);

/**
 * The instant of the first page, the featured coupon or '', and section and sort key of the last coupon. All pages use the
 * instant of the first one, so that a sale that opens or ends meanwhile shifts no page.
 */
const cursorKey = z.tuple([instant, z.string().max(64), z.enum(SECTIONS), instant, idInput]);
export type CouponCursor = z.infer<typeof cursorKey>;
export const couponCursorInput = cursorInput(cursorKey);

export interface CouponPageQuery {
  cursor?: CouponCursor | undefined;
  /** Lists the coupons of this merchant only, without a featured one. */
  merchantId?: string | undefined;
  /** True: lists the coupons that the shop hides, too, without a featured one. Default: false. */
  isForOperators?: boolean;
}

export interface CouponRowPage {
  rows: CouponRow[];
  /** Absent on the last page. */
  nextCursor?: string;
}

/** About 10 kB. With the 50 of `ids`, a reply stays under 64 kB. */
const PAGE = 24;
/** The featured coupon is one of the live seckills that end first, so that a large shop costs no more than a small one. */
const CANDIDATES = 24;

/**
 * Reads a page of the coupons: the featured one, then live ones by end, upcoming ones by start, then sold-out and
 * ended ones, the last end first. Each section reads at most a page from an index.
 */
export async function readCouponPage(
  db: Db,
  { cursor, merchantId, isForOperators = false }: CouponPageQuery = {},
): Promise<CouponRowPage> {
  const [at, featuredId, sectionBefore, sortBefore, idBefore] = cursor ?? [Date.now()];
  const openAt = new Date(at);
  const featured = cursor || merchantId !== undefined || isForOperators ? [] : await readFeatured(db, openAt);
  const known = featuredId ?? featured[0]?.id ?? '';
  const isListed = and(
    isForOperators ? undefined : isShown,
    ne(coupons.id, known),
    merchantId === undefined ? undefined : eq(coupons.merchantId, merchantId),
  );

  const listed: ListedRow[] = featured.map((row) => ({ row, section: 'live' }));
  for (const section of SECTIONS.slice(sectionBefore && SECTIONS.indexOf(sectionBefore))) {
    if (listed.length > PAGE) break;
    const { isIn, sortKey, isDescending } = sectionOf(section, openAt);
    const isAfter =
      section === sectionBefore
        ? sql`(${sortKey}, ${coupons.id}) ${isDescending ? sql`<` : sql`>`} (to_timestamp(${sortBefore} / 1000.0), ${idBefore})`
        : undefined;
    const order = isDescending ? desc : asc;
    const rows = await selectCoupons(db, and(isListed, isIn, isAfter))
      .orderBy(order(sortKey), order(coupons.id))
      .limit(PAGE + 1 - listed.length);
    listed.push(...rows.map((row) => ({ row, section })));
  }

  const page = listed.slice(0, PAGE);
  const last = page.at(-1);
  return {
    rows: page.map(({ row }) => row),
    ...(listed.length > PAGE && last && { nextCursor: cursorAt(last, { at, featuredId: known }) }),
  };
}

/** Selects coupons with their merchants. */
export function selectCoupons(db: Db, where: SQL | undefined) {
  const { name, category, address } = merchants;
  return db
    .select({ ...getTableColumns(coupons), merchant: { name, category, address } })
    .from(coupons)
    .innerJoin(merchants, eq(merchants.id, coupons.merchantId))
    .where(where);
}

/** Reads the version of the list, which changes with each insertion and each operator's change of a coupon. */
export async function readListVersion(db: Db): Promise<string> {
  const [row] = await db.select({ last: sql<string | null>`max(${coupons.change})` }).from(coupons);
  return row?.last ?? '0';
}

type Section = (typeof SECTIONS)[number];

interface ListedRow {
  row: CouponRow;
  section: Section;
}

interface SectionQuery {
  isIn: SQL | undefined;
  sortKey: typeof coupons.startsAt | typeof coupons.endsAt;
  isDescending: boolean;
}

function sectionOf(section: Section, openAt: Date): SectionQuery {
  const { startsAt, endsAt, soldOutAt } = coupons;
  switch (section) {
    case 'live':
      return { isIn: isLiveAt(openAt), sortKey: endsAt, isDescending: false };
    case 'upcoming':
      return { isIn: gt(startsAt, openAt), sortKey: startsAt, isDescending: false };
    case 'sold-out':
      return {
        isIn: and(lte(soldOutAt, openAt), gt(endsAt, openAt), lte(startsAt, openAt)),
        sortKey: endsAt,
        isDescending: true,
      };
    case 'ended':
      return { isIn: lte(endsAt, openAt), sortKey: endsAt, isDescending: true };
  }
}

function isLiveAt(openAt: Date): SQL | undefined {
  const { startsAt, endsAt, soldOutAt } = coupons;
  return and(lte(startsAt, openAt), gt(endsAt, openAt), or(isNull(soldOutAt), gt(soldOutAt, openAt)));
}

/** Reads the live seckill with the largest saving of those that end first; without a live one, the next one to open. */
async function readFeatured(db: Db, openAt: Date): Promise<CouponRow[]> {
  const { id, kind, startsAt, endsAt, faceValueCents, priceCents } = coupons;
  const isSeckill = and(isShown, eq(kind, 'seckill'));
  const candidates = db
    .select({ id, endsAt, saving: sql<number>`${faceValueCents} - ${priceCents}`.as('saving') })
    .from(coupons)
    .where(and(isSeckill, isLiveAt(openAt)))
    .orderBy(endsAt, id)
    .limit(CANDIDATES)
    .as('candidates');
  const bestOffer = db
    .select({ id: candidates.id })
    .from(candidates)
    .orderBy(desc(candidates.saving), candidates.endsAt, candidates.id)
    .limit(1);
  const live = await selectCoupons(db, inArray(id, bestOffer));
  if (live.length > 0) return live;
  return selectCoupons(db, and(isSeckill, gt(startsAt, openAt)))
    .orderBy(startsAt, id)
    .limit(1);
}

function cursorAt(
  { row, section }: ListedRow,
  { at, featuredId }: { at: number; featuredId: string },
): string {
  const sortKey = section === 'upcoming' ? row.startsAt : row.endsAt;
  return encodeCursor([at, featuredId, section, sortKey.getTime(), row.id]);
}
