import {
  type Ask,
  type CoalesceOptions,
  createCoalescedAsk as createAsk,
} from '../../server/limiter/coalesce';

/** Replaces `server/limiter/coalesce.ts` in measurements of single decisions: each script call carries one decision. */
export function createCoalescedAsk(options: CoalesceOptions): Ask {
  return createAsk({ ...options, mostTogether: 1 });
}
