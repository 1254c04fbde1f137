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

/** The sales, what of them is left to a person, and what was bought. */
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
