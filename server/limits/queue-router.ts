import { z } from 'zod';
import { auditLog } from '../db/schema';
import { AppError } from '../errors';
import { unlimited } from '../limiter';
import { idInput } from '../trpc/inputs';
import { adminProcedure, router } from '../trpc/procedures';
import { findLevel, type PolicyRegistry } from './policy-registry';
import type { LimitVerbs } from './router';

type QueueSwitchOptions = Pick<LimitVerbs, 'db' | 'limiter'> & { policies: PolicyRegistry };

const levelInput = z.object({ policy: idInput, level: idInput });

/** The procedures that close a queue for new tickets, and open it. Waiting tickets are served. For admins only. */
export function createQueueSwitchRouter(options: QueueSwitchOptions) {
  return router({
    close: adminProcedure
      .use(unlimited)
      .input(levelInput)
      .mutation(async ({ ctx, input }): Promise<Record<string, never>> => {
        await switchQueue(options, { ...input, isClosed: true, who: ctx.user.id });
        return {};
      }),

    open: adminProcedure
      .use(unlimited)
      .input(levelInput)
      .mutation(async ({ ctx, input }): Promise<Record<string, never>> => {
        await switchQueue(options, { ...input, isClosed: false, who: ctx.user.id });
        return {};
      }),
  });
}

/**
 * Closes or opens a queue and writes the audit log. The record is committed after Redis has changed the queue, so a failed
 * change leaves no record. Throws NOT_FOUND if the level has no queue.
 */
async function switchQueue(
  { db, limiter, policies }: QueueSwitchOptions,
  { who, isClosed, ...named }: { policy: string; level: string; isClosed: boolean; who: string },
): Promise<void> {
  const { policy, declared } = findLevel(policies, named);
  if (!declared.queue) {
    throw new AppError('NOT_FOUND', `Level ${JSON.stringify(named.level)} of this policy has no queue.`);
  }
  const queue = limiter.queue(policy);
  const before = await queue.state();
  await db.transaction(async (tx) => {
    await tx.insert(auditLog).values({
      ...{ who, what: isClosed ? 'queue.close' : 'queue.open', target: `${named.policy}:${named.level}` },
      before: { isClosed: before.isClosed },
      after: { isClosed },
    });
    await (isClosed ? queue.close() : queue.open());
  });
}
