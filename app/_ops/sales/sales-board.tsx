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

/** Shows sales, refunds, dead letters and orders. */
export function SalesBoard({ coupons, merchants, orders, refunds }: Props) {
  return (
    <>
      <CouponsSection first={coupons} merchants={merchants} />
      <RefundsSection first={refunds} />
      <DeadLettersSection />
      <OrdersSection first={orders} />
    </>
  );
}
