import { withinStoreTimeout } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import { STORE_BUDGET_MS } from '../../trpc/deadline';

/** An order that the ledger has ended, and whose stock the gate has yet to get. */
export interface StockCompensation {
  couponId: string;
  userId: string;
  orderId: string;
  /** That the ledger had when it ended the order. */
  generation: number;
}

/**
 * Gives the gate the stock of an order that has ended, once, however often it is called. False where the gate is closed
 * and this has to be tried again. Throws `StoreUnavailableError`.
 */
export type Restock = (owed: StockCompensation) => Promise<boolean>;

export function createRestock({ redis }: { redis: RedisClient }): Restock {
  const runGiveBack = defineScript(redis, {
    command: 'saleGiveBack',
    file: 'sale/restock.lua',
    numberOfKeys: 2,
  });
  return async function giveBack({ couponId, userId, orderId, generation }) {
    const { gate, buyers } = saleKeys(couponId);
    const giving = runGiveBack([gate, buyers], [generation, userId, orderId]);
    return (await withinStoreTimeout(giving, STORE_BUDGET_MS)) === 1;
  };
}
