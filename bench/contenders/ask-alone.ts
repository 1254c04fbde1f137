import type { Ask, CoalesceOptions } from '../../server/limiter/coalesce';
import { StoreUnavailableError } from '../../server/limiter/store-timeout';

/** Stands in for `server/limiter/coalesce.ts` where one decision alone is measured: each question is a script of its own. */
export function createCoalescedAsk({ run, clock }: CoalesceOptions): Ask {
  return async function ask({ record, keys, banMembers }) {
    const replies = await run(keys, [`[${record}]`, 1, clock?.() ?? '', keys.length, ...banMembers]);
    const reply: unknown = Array.isArray(replies) ? replies[0] : undefined;
    if (Array.isArray(reply)) return reply;
    throw new StoreUnavailableError('the store failed', { cause: new Error(String(reply)) });
  };
}
