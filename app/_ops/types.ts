import type { TRPCClientError } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../../server/router';

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

/** The data of a call error, besides its message. */
export type CallErrorData = NonNullable<TRPCClientError<AppRouter>['data']>;

export type Policy = Outputs['limit']['list']['policies'][number];
export type Level = Policy['levels'][number];
export type LimitChange = Inputs['limit']['update'];
export type Mode = NonNullable<LimitChange['mode']>;
export type WhatIf = Outputs['ops']['whatIf'];
export type AlertRule = Outputs['ops']['alertRules']['rules'][number];
export type AuditPage = Outputs['ops']['audit'];
export type AuditEntry = AuditPage['entries'][number];
export type RefusedSubject = Outputs['ops']['subjects']['subjects'][number];
export type Explanation = Outputs['ops']['explain'];
export type BanPage = Outputs['ban']['list'];
export type Ban = BanPage['bans'][number];
export type PersonPage = Outputs['limit']['person']['list'];
export type Person = PersonPage['persons'][number];
export type PersonChange = Inputs['limit']['person']['set'];
export type OpsCouponPage = Outputs['ops']['coupons'];
export type OpsCoupon = OpsCouponPage['coupons'][number];
export type OpsMerchantPage = Outputs['ops']['merchants'];
export type OpsMerchant = OpsMerchantPage['merchants'][number];
export type OpsOrderPage = Outputs['ops']['orders'];
export type OpsOrder = OpsOrderPage['orders'][number];
export type OrderStatus = NonNullable<Inputs['ops']['orders']['status']>;
export type Refund = Outputs['ops']['refunds']['refunds'][number];
export type DeadLetter = Outputs['ops']['deadLetters']['deadLetters'][number];
export type CouponInput = Inputs['coupon']['create'];
