import { createAuthRouter } from './auth/router';
import { createCouponRouter } from './coupons/router';
import { createDemoRouter } from './demo/router';
import { createLimitRouter } from './limits/router';
import { createMerchantRouter } from './merchants/router';
import { createOrderRouter } from './orders/router';
import { createCallerFactory, router } from './trpc/init';

/** What each feature's router is built from. */
export interface Verbs {
  auth: Parameters<typeof createAuthRouter>[0];
  coupon: Parameters<typeof createCouponRouter>[0];
  demo: Parameters<typeof createDemoRouter>[0];
  merchant: Parameters<typeof createMerchantRouter>[0];
  order: Parameters<typeof createOrderRouter>[0];
}

/** All procedures of the product. */
export function createAppRouter(verbs: Verbs) {
  return router({
    auth: createAuthRouter(verbs.auth),
    coupon: createCouponRouter(verbs.coupon),
    demo: createDemoRouter(verbs.demo),
    limit: createLimitRouter(),
    merchant: createMerchantRouter(verbs.merchant),
    order: createOrderRouter(verbs.order),
  });
}

export type AppRouter = ReturnType<typeof createAppRouter>;

/** Calls procedures without HTTP, for the pages. */
export const createCaller = (appRouter: AppRouter) => createCallerFactory(appRouter);
