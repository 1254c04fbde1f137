import { z } from 'zod';
import { idInput } from './plain-text';
import { requestIdInput } from './request-id';

/**
 * The input of `coupon.seckill` and `coupon.claim`. Their policies parse it, too: a call with an invalid input buys
 * nothing, so it must not charge the levels that count purchases.
 */
export const purchaseInput = z.object({ couponId: idInput, requestId: requestIdInput.optional() });
