import { LRUCache } from 'lru-cache';
import { MAX_COUPONS } from './fence';
import type { Gate, GateState } from './gate';

/**
 * The last state of each gate that this node has read. Sweeps, pages and the live stream read every open gate at least
 * once a second, so this needs no extra read. The state may be old: it never authorises a sale.
 */
export interface LiveGates {
  /** Returns true for a seckill that is on at this instant and whose gate was open with stock when it was read. */
  isSelling(couponId: string, now: number): boolean;
  /** Stores the state of a gate; `undefined` for a gate without state. */
  observe(couponId: string, gate: LiveGate | undefined): void;
  /** Stores that a gate would accept a purchase, or that it is sold out, until its state is read again. */
  observeReply(couponId: string, outcome: 'could-buy' | 'sold-out'): void;
}

type LiveGate = Pick<GateState, 'startsAt' | 'endsAt' | 'remaining' | 'isStale'>;

interface Sale {
  startsAt: number;
  endsAt: number;
  isOpen: boolean;
}

/** Creates the live gates of a node. */
export function createLiveGates(): LiveGates {
  const sales = new LRUCache<string, Sale>({ max: MAX_COUPONS });
  return {
    isSelling(couponId, now) {
      const sale = sales.get(couponId);
      return sale?.isOpen === true && now >= sale.startsAt && now < sale.endsAt;
    },

    observe(couponId, gate) {
      if (!gate) sales.delete(couponId);
      else {
        const { startsAt, endsAt, remaining, isStale } = gate;
        // A claim coupon has no remaining stock: `coupon.seckill` does not sell it.
        sales.set(couponId, { startsAt, endsAt, isOpen: !isStale && remaining !== null && remaining > 0 });
      }
    },

    observeReply(couponId, outcome) {
      const { startsAt, endsAt } = sales.get(couponId) ?? { startsAt: 0, endsAt: Number.POSITIVE_INFINITY };
      sales.set(couponId, { startsAt, endsAt, isOpen: outcome === 'could-buy' });
    },
  };
}

/** Wraps a gate so that its replies also update the states of this node. */
export function observeGate(gate: Gate, live: LiveGates): Gate {
  return {
    ...gate,

    async readState(couponId, deadline) {
      const state = await gate.readState(couponId, deadline);
      live.observe(couponId, state);
      return state;
    },

    async open(state) {
      const isOpened = await gate.open(state);
      if (isOpened) live.observe(state.couponId, { ...state, isStale: false });
      return isOpened;
    },

    async purchase(purchase) {
      const reply = await gate.purchase(purchase);
      const { outcome } = reply;
      if (outcome === 'could-buy' || outcome === 'sold-out') live.observeReply(purchase.couponId, outcome);
      return reply;
    },
  };
}

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
