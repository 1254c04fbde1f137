import {
  type Ask,
  type CoalesceOptions,
  createCoalescedAsk as createAsk,
} from '../../server/limiter/coalesce';

/** Stands in for `server/limiter/coalesce.ts` where one decision alone is measured: each question is a script of its own. */
export function createCoalescedAsk(options: CoalesceOptions): Ask {
  return createAsk({ ...options, mostTogether: 1 });
}
