import { z } from 'zod';
import type { CallAccess } from '../db/client';
import { notFoundError } from '../errors';
import { rateLimit } from '../limiter';
import { policies } from '../policies';
import type { Coupon } from '../sale/coupons/coupon';
import type { Viewer } from '../sale/coupons/coupon-reader';
import { cursorInput, encodeCursor, idInput, plainText } from '../trpc/inputs';
import { publicProcedure, router } from '../trpc/procedures';
import { findMerchants, type Merchant } from './find-merchants';

const PAGE = 20;

export interface MerchantVerbs {
  calls: Pick<CallAccess, 'readDb' | 'runRead'>;
  /** Returns the coupons of a merchant that the shop shows. */
  listCouponsOfMerchant: (merchantId: string, viewer: Viewer) => Promise<Coupon[]>;
}

interface MerchantPage {
  merchants: Merchant[];
  /** Absent on the last page. */
  nextCursor?: string;
}

const listInput = z
  .object({ q: plainText({ max: 64 }).optional(), cursor: cursorInput(z.tuple([idInput])) })
  .optional();

/** The public procedures of merchants: a list, 20 per page, and one merchant with its coupons. */
export function createMerchantRouter({ calls, listCouponsOfMerchant }: MerchantVerbs) {
  const { readDb, runRead } = calls;
  return router({
    list: publicProcedure
      .use(rateLimit(policies.merchant))
      .input(listInput)
      .query(async ({ ctx, input }): Promise<MerchantPage> => {
        const { q, cursor: [after] = [] } = input ?? {};
        // One extra row shows whether another page follows.
        const query = { language: ctx.language, text: q, after, limit: PAGE + 1 };
        const found = await runRead(() => findMerchants(readDb, query));
        const page = found.slice(0, PAGE);
        const last = page.at(-1);
        return {
          merchants: page,
          ...(last && found.length > PAGE && { nextCursor: encodeCursor([last.id]) }),
        };
      }),

    byId: publicProcedure
      .use(rateLimit(policies.merchant))
      .input(z.object({ id: idInput }))
      .query(async ({ ctx, input: { id } }): Promise<{ merchant: Merchant; coupons: Coupon[] }> => {
        const query = { language: ctx.language, id, limit: 1 };
        const [merchant] = await runRead(() => findMerchants(readDb, query));
        if (!merchant) throw notFoundError('merchant', id);
        return { merchant, coupons: await listCouponsOfMerchant(id, ctx) };
      }),
  });
}
