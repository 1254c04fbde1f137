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
}

/** `reserved`: the gate said yes. `confirmed`: it is in Postgres, which is the promise. */
export type OrderStatus = 'reserved' | 'confirmed' | 'paid' | 'cancelled' | 'expired';
