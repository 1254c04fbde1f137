import { LRUCache } from 'lru-cache';

/** A shopper and the coupon of a purchase. */
export interface Buyer {
  couponId: string;
  userId: string;
}

/**
 * The shoppers with an open order for a coupon, or with a call that charged the shared window in the last minute, as far
 * as this node has seen. A missing shopper costs one charge, an outdated entry one peek: it never authorises a sale.
 */
export interface KnownBuyers {
  has(buyer: Buyer): boolean;
  /** Stores a charged call, whatever its outcome. Until the entry expires, calls of this shopper peek at the gate first. */
  addCharged(buyer: Buyer): void;
  addOrder(buyer: Buyer): void;
  /** Removes a shopper whose order was cancelled or has expired, or who could buy according to the gate. */
  remove(buyer: Buyer): void;
}

/** Under 10 MB. A full window of 100 in 10 s adds as many in 80 minutes. */
const MAX_BUYERS = 50_000;

const CHARGED_FOR_MS = 60 * 1000;

/** Longer than the hold of an unpaid order. A paid order then costs one charge per hour. */
const ORDER_FOR_MS = 60 * 60 * 1000;

/** Creates the known buyers of a node. */
export function createKnownBuyers(): KnownBuyers {
  const buyers = new LRUCache<string, true>({ max: MAX_BUYERS });
  return {
    has: (buyer) => buyers.has(keyOf(buyer)),
    addCharged: (buyer) => void buyers.set(keyOf(buyer), true, { ttl: CHARGED_FOR_MS }),
    addOrder: (buyer) => void buyers.set(keyOf(buyer), true, { ttl: ORDER_FOR_MS }),
    remove: (buyer) => void buyers.delete(keyOf(buyer)),
  };
}

/** Separates the two ids by a line feed, because ids contain no control characters. */
function keyOf({ couponId, userId }: Buyer): string {
  return `${couponId}\n${userId}`;
}
