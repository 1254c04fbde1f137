import { LRUCache } from 'lru-cache';

/** A shopper and the coupon of a purchase. */
export interface Buyer {
  couponId: string;
  userId: string;
}

/**
 * The shoppers who hold an open order for a coupon, or whose call for it charged the shared window in the last minute, by
 * what this node has seen. A missing shopper costs one charge, an outdated entry one peek: it never authorises a sale.
 */
export interface KnownBuyers {
  has(buyer: Buyer): boolean;
  /** Until the entry expires, calls of this shopper peek at the gate first, whatever the outcome of this one. */
  addCharged(buyer: Buyer): void;
  addOrder(buyer: Buyer): void;
  /** The order was cancelled, or has expired, or the gate says that the shopper could buy. */
  remove(buyer: Buyer): void;
}

/** Under 10 MB. A full window of 100 in 10 s adds as many in 80 minutes. */
const MAX_BUYERS = 50_000;
const CHARGED_FOR_MS = 60 * 1000;
/** Longer than the hold of an unpaid order. A paid one then costs one charge an hour. */
const ORDER_FOR_MS = 60 * 60 * 1000;

export function createKnownBuyers(): KnownBuyers {
  const buyers = new LRUCache<string, true>({ max: MAX_BUYERS });
  return {
    has: (buyer) => buyers.has(keyOf(buyer)),
    addCharged: (buyer) => void buyers.set(keyOf(buyer), true, { ttl: CHARGED_FOR_MS }),
    addOrder: (buyer) => void buyers.set(keyOf(buyer), true, { ttl: ORDER_FOR_MS }),
    remove: (buyer) => void buyers.delete(keyOf(buyer)),
  };
}

/** Ids hold no control characters. */
function keyOf({ couponId, userId }: Buyer): string {
  return `${couponId}\n${userId}`;
}
