import { unlimited } from '../limiter/adapters/trpc';
import { adminProcedure, router } from '../trpc/procedures';
import { findLevel, levelInput, type PolicyRegistry } from './policy-registry';
import type { LimitDependencies } from './router';

type QueueSwitchOptions = Pick<LimitDependencies, 'overrides'> & { policies: PolicyRegistry };

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
