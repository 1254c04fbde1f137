import { createAuthRouter } from './auth/router';
import { createDemoRouter } from './demo/router';
import { createLabRouter, type LabVerbs } from './lab/router';
import { policiesOf } from './limiter/adapters/trpc';
import type { PolicyRegistry } from './limits/policy-registry';
import {
  createBanRouter,
  createLimitRouter,
  createQueueSwitchRouter,
  type LimitDependencies,
} from './limits/router';
import { createMerchantRouter } from './merchants/router';
import { createOpsRouter, type OpsVerbs } from './ops/router';
import { createCouponRouter } from './sale/coupons/router';
import { createOrderRouter } from './sale/orders/router';
import { createQueueRouter, type QueueVerbs } from './sale/queue/router';
import { createCallerFactory, mergeRouters, router } from './trpc/procedures';

/** The dependencies of each feature's router, and the policies of this node. */
export interface RouterOptions {
  policies: PolicyRegistry;
  auth: Parameters<typeof createAuthRouter>[0];
  coupon: Parameters<typeof createCouponRouter>[0];
  demo: Parameters<typeof createDemoRouter>[0];
  lab: LabVerbs;
  limit: LimitDependencies;
  merchant: Parameters<typeof createMerchantRouter>[0];
  ops: OpsVerbs;
  order: Parameters<typeof createOrderRouter>[0];
  queue: QueueVerbs;
}

/** All procedures of the product. Throws a `PolicyError` where a policy makes no sense, or two share a name. */
export function createAppRouter({ policies, ...verbs }: RouterOptions) {
  const limits = { ...verbs.limit, policies };
  const app = router({
    auth: createAuthRouter(verbs.auth),
    coupon: createCouponRouter(verbs.coupon),
    demo: createDemoRouter(verbs.demo),
    lab: createLabRouter(verbs.lab),
    merchant: createMerchantRouter(verbs.merchant),
    order: createOrderRouter(verbs.order),
    limit: createLimitRouter(limits),
    ban: createBanRouter(limits),
    queue: mergeRouters(createQueueRouter(verbs.queue), createQueueSwitchRouter(limits)),
    ops: createOpsRouter({ ...verbs.ops, policies }),
  });
  // Checks the declarations of all procedures.
  policiesOf(app);
  return app;
}

export type AppRouter = ReturnType<typeof createAppRouter>;

/** The data of the events of `/api/live` and `/api/ops/live`, for the pages. */
export type { LiveEvent } from './live/live-hub';
export type { OpsState } from './ops/ops-hub';

/** Calls procedures without HTTP, for the pages. */
export const createCaller = (appRouter: AppRouter) => createCallerFactory(appRouter);
