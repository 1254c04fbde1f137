import { withinStoreTimeout } from '../../limiter/index';
import { defineScript } from '../../limiter/stores';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import { STORE_BUDGET_MS } from '../../trpc/deadline';

/** The record that the stock of an ended order must return to its gate. */
export interface StockCompensation {
  couponId: string;
  userId: string;
  orderId: string;
  /** The ledger's generation when it ended the order. */
  generation: number;
}

/**
 * Returns the stock of an ended order to the gate, once, however often it is called. Returns false while the gate is
 * closed: repeat the call later. Throws `StoreUnavailableError`.
 */
export type Restock = (compensation: StockCompensation) => Promise<boolean>;

/** Creates `restock`. */
export function createRestock({ redis }: { redis: RedisClient }): Restock {
  const runRestock = defineScript(redis, {
    command: 'saleRestock',
    file: 'sale/restock.lua',
    numberOfKeys: 2,
  });
  return async function restock({ couponId, userId, orderId, generation }) {
    const { gate, buyers } = saleKeys(couponId);
    const restocking = runRestock([gate, buyers], [generation, userId, orderId]);
    return (await withinStoreTimeout(restocking, STORE_BUDGET_MS)) === 1;
  };
}
