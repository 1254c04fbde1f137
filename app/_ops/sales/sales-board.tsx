'use client';

import type { OpsCouponPage, OpsMerchant, OpsOrderPage, Refund } from '../types';
import { CouponsSection } from './coupons-section';
import { DeadLettersSection } from './dead-letters-section';
import { OrdersSection } from './orders-section';
import { RefundsSection } from './refunds-section';

interface Props {
  coupons: OpsCouponPage;
  merchants: OpsMerchant[];
  orders: OpsOrderPage;
  refunds: { refunds: Refund[] };
}

/** The sales, what was bought in them, and what went wrong with it. */
export function SalesBoard({ coupons, merchants, orders, refunds }: Props) {
  return (
    <>
      <CouponsSection first={coupons} merchants={merchants} />
      <OrdersSection first={orders} />
      <RefundsSection first={refunds} />
      <DeadLettersSection />
    </>
  );
}
