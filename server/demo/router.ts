import { z } from 'zod';
import { rateLimit } from '../limiter/adapters/trpc';
import { policies } from '../policies';
import { idInput } from '../trpc/inputs';
import { onlyInDemo, publicProcedure, router } from '../trpc/procedures';
import type { CrowdResult, SendCrowd } from './send-crowd';

export interface DemoVerbs {
  /** True in demo mode. Otherwise the router is empty. */
  demo: boolean;
  sendCrowd: SendCrowd;
}

const crowdInput = z.object({
  couponId: idInput,
  shoppers: z.number().int().min(1).max(300),
  overMs: z.number().int().min(0).max(10_000),
});

/** The procedures of demo mode. Without `demo`, they are not available. */
export function createDemoRouter({ demo, sendCrowd }: DemoVerbs) {
  return router(
    onlyInDemo(demo, {
      crowd: publicProcedure
        .use(rateLimit(policies.crowd))
        .meta({ hasOwnTimeout: true })
        .input(crowdInput)
        .mutation(({ input, signal }): Promise<CrowdResult> => sendCrowd({ ...input, signal })),
    }),
  );
}
