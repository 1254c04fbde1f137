/** An order as its shopper sees it. Instants in epoch ms. */
export interface Order {
  id: string;
  couponId: string;
  userId: string;
  status: OrderStatus;
  createdAt: number;
  confirmedAt?: number | undefined;
  /** The order expires if it is unpaid at this time; absent if there is nothing to pay. */
  holdUntil?: number | undefined;
  /** The code that the shopper shows at the shop; present for confirmed and paid orders. */
  code?: string | undefined;
  /** Status of the last payment; absent if there was none. */
  payment?: PaymentStatus | undefined;
}

/**
 * `pending`: the provider has not decided. `refund-due`: it approved after the order had ended, and the money must be
 * refunded. `refunded`: that is done.
 */
export type PaymentStatus = 'pending' | 'approved' | 'declined' | 'refund-due' | 'refunded';

/** `reserved`: the gate accepted the order. `confirmed`: it is in Postgres and cannot be lost. */
export type OrderStatus = 'reserved' | 'confirmed' | 'paid' | 'cancelled' | 'expired';

/** Returns true for an order that ended without a purchase. Its shopper may buy again. */
export function isOver({ status }: Pick<Order, 'status'>): boolean {
  return status === 'cancelled' || status === 'expired';
}
