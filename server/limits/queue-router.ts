import { z } from 'zod';
import { unlimited } from '../limiter';
import { idInput } from '../trpc/inputs';
import { adminProcedure, router } from '../trpc/procedures';
import { findLevel, type PolicyRegistry } from './policy-registry';
import type { LimitVerbs } from './router';

type QueueSwitchOptions = Pick<LimitVerbs, 'overrides'> & { policies: PolicyRegistry };

const levelInput = z.object({ policy: idInput, level: idInput });

/**
 * The procedures that close a queue for new tickets, and open it. Waiting tickets are served. For admins only. A queue
 * stays closed, also when Redis was emptied.
 */
export function createQueueSwitchRouter({ overrides, policies }: QueueSwitchOptions) {
  const switchLevel = (isClosed: boolean) =>
    adminProcedure
      .use(unlimited)
      .input(levelInput)
      .mutation(async ({ ctx, input }): Promise<Record<string, never>> => {
        const { policy, declared } = findLevel(policies, input);
        await overrides.switchQueue({ policy, level: declared.level, isClosed, who: ctx.user.id });
        return {};
      });

  return router({ close: switchLevel(true), open: switchLevel(false) });
}
