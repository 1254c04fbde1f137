import { z } from 'zod';
import { idInput } from './plain-text';
import { requestIdInput } from './request-id';

/**
 * The input of `coupon.seckill` and `coupon.claim`. Their policies read it too: a call with another input buys nothing,
 * so it must not charge what only purchases charge.
 */
export const purchaseInput = z.object({ couponId: idInput, requestId: requestIdInput.optional() });
