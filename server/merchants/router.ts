import { z } from 'zod';
import type { CallAccess } from '../db/client';
import { notFoundError } from '../errors';
import { rateLimit } from '../limiter/adapters/trpc';
import { policies } from '../policies';
import { couponCursorInput } from '../sale/coupons/coupon-pages';
import type { CouponPage, CouponReader } from '../sale/coupons/coupon-reader';
import { cursorInput, encodeCursor, idInput, plainText } from '../trpc/inputs';
import { publicProcedure, router } from '../trpc/procedures';
import { findMerchants, type ListedMerchant, type Merchant } from './find-merchants';

const PAGE = 20;

export interface MerchantVerbs {
  calls: Pick<CallAccess, 'readDb' | 'runRead'>;
  listCouponsOfMerchant: CouponReader['listCouponsOfMerchant'];
}

interface MerchantPage {
  merchants: Merchant[];
  /** Absent on the last page. */
  nextCursor?: string;
}

/** The sort key of a merchant, and the instant of the first page. The largest instant of JavaScript is 8.64e15. */
const merchantCursor = z.tuple([z.int().min(0).max(8.64e15), z.literal([0, 1]), idInput]);

const listInput = z
  .object({ q: plainText({ max: 64 }).optional(), cursor: cursorInput(merchantCursor) })
  .optional();

/** The public procedures of merchants: a list with open coupons first, 20 per page, and one merchant with a page of its coupons. */
export function createMerchantRouter({ calls, listCouponsOfMerchant }: MerchantVerbs) {
  const { readDb, runRead } = calls;
  return router({
    list: publicProcedure
      .use(rateLimit(policies.merchant))
      .input(listInput)
      .query(async ({ ctx, input }): Promise<MerchantPage> => {
        const { q, cursor } = input ?? {};
        const [openAt, wasOpen, id] = cursor ?? [Date.now()];
        const after = id === undefined ? undefined : { isOpen: wasOpen === 1, id };
        // One extra row shows whether another page follows.
        const query = {
          language: ctx.language,
          text: q,
          openAt: new Date(openAt),
          after,
          limit: PAGE + 1,
        };
        const found = await runRead(() => findMerchants(readDb, query));
        const page = found.slice(0, PAGE);
        const last = page.at(-1);
        return {
          merchants: page.map(toMerchant),
          ...(last &&
            found.length > PAGE && { nextCursor: encodeCursor([openAt, last.isOpen ? 1 : 0, last.id]) }),
        };
      }),

    byId: publicProcedure
      .use(rateLimit(policies.merchant))
      .input(z.object({ id: idInput, cursor: couponCursorInput }))
      .query(async ({ ctx, input: { id, cursor } }): Promise<{ merchant: Merchant } & CouponPage> => {
        const query = { language: ctx.language, id, openAt: new Date(), limit: 1 };
        const [merchant] = await runRead(() => findMerchants(readDb, query));
        if (!merchant) throw notFoundError('merchant', id);
        return {
          merchant: toMerchant(merchant),
          ...(await listCouponsOfMerchant({ merchantId: id, cursor }, ctx)),
        };
      }),
  });
}

/** Removes the sort key. */
function toMerchant({ isOpen: _, ...merchant }: ListedMerchant): Merchant {
  return merchant;
}
