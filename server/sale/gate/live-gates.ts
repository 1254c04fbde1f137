import { LRUCache } from 'lru-cache';
import type { Gate, GateState } from './gate';

/**
 * The last state that this node has read of each gate. Sweeps, pages and the live stream read every open gate at least
 * once a second, so this costs no read of its own. It may be old: it never authorises a sale.
 */
export interface LiveGates {
  /** Returns true for a seckill whose gate was open and had stock when it was read, and that is on at this instant. */
  isSelling(couponId: string, now: number): boolean;
  /** Stores the state of a gate; `undefined` where it has none. */
  observe(couponId: string, gate: LiveGate | undefined): void;
  /** Stores that a gate would have accepted a purchase, or that it is sold out, until its state is read again. */
  observeReply(couponId: string, outcome: 'could-buy' | 'sold-out'): void;
}

/** What this node keeps of a gate's state. */
type LiveGate = Pick<GateState, 'startsAt' | 'endsAt' | 'remaining' | 'isStale'>;

/** As many as the fence keeps. */
const MAX_COUPONS = 10_000;

interface Sale {
  startsAt: number;
  endsAt: number;
  isOpen: boolean;
}

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
      const standing = await gate.readState(couponId, deadline);
      live.observe(couponId, standing);
      return standing;
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
