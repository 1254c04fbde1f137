/** An order as its shopper sees it. Instants in epoch ms. */
export interface Order {
  id: string;
  couponId: string;
  userId: string;
  status: OrderStatus;
  createdAt: number;
  confirmedAt?: number | undefined;
  /** Unpaid after this instant it expires; absent where there is nothing to pay. */
  holdUntil?: number | undefined;
  /** What the shopper shows at the till, from `confirmed` on. */
  code?: string | undefined;
  /** Of the last attempt to pay; absent where there was none. */
  payment?: PaymentStatus | undefined;
}

/**
 * `pending`: the provider has not said yet. `refund-due`: it took the money when the order could not be paid any more,
 * and a person sends it back; `refunded`: that is done.
 */
export type PaymentStatus = 'pending' | 'approved' | 'declined' | 'refund-due' | 'refunded';

/** `reserved`: the gate said yes. `confirmed`: it is in Postgres, which is the promise. */
export type OrderStatus = 'reserved' | 'confirmed' | 'paid' | 'cancelled' | 'expired';

/** Returns true for an order that ended without a purchase. Its shopper may buy again. */
export function isOver({ status }: Pick<Order, 'status'>): boolean {
  return status === 'cancelled' || status === 'expired';
}
