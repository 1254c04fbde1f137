import type { TRPCClientErrorLike } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { PageRequest } from '../../server/http/page-requests';
import type { AppRouter } from '../../server/router';

type Outputs = inferRouterOutputs<AppRouter>;

export type Language = PageRequest['language'];
export type User = Outputs['auth']['signInDemo']['user'];
export type Coupon = Outputs['coupon']['list']['coupons'][number];
export type Merchant = Outputs['merchant']['byId']['merchant'];
export type Order = Outputs['order']['byId']['order'];
export type DemoCard = NonNullable<inferRouterInputs<AppRouter>['order']['pay']['card']>;
export type PurchaseReply = Outputs['coupon']['seckill'] | Outputs['coupon']['claim'];
export type Ticket = Outputs['queue']['mine']['tickets'][number];
export type CrowdReply = Outputs['demo']['crowd'];
export type WindowState = Outputs['limit']['mine']['windows'][number];

/** A failed call as tRPC's client throws it. */
export type CallError = TRPCClientErrorLike<AppRouter>;
/** The data of a 429. */
export type RefusalData = NonNullable<NonNullable<CallError['data']>['rateLimit']>;
