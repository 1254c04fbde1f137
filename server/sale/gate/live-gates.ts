import { LRUCache } from 'lru-cache';
import { MAX_COUPONS } from './fence';
import type { Gate, GateState } from './gate';

/**
 * The last state of each gate that this node has read. Sweeps read each gate at the start and within a second after a change,
 * so this needs no extra read. The state may be old: it never authorises a sale.
 */
export interface LiveGates {
  /** Returns true for a seckill that is on at this instant and whose gate was open with stock when it was read. */
  isSelling(couponId: string, now: number): boolean;
  /** Returns why a seckill sells nothing any more; `undefined` if it may sell or is unknown. */
  findEnd(couponId: string, now: number): 'sold-out' | 'ended' | undefined;
  /** Returns true for a gate that sells nothing until it is rebuilt, and for one that this node has not read. */
  isPaused(couponId: string): boolean;
  /** Lists the coupons whose gates this node has read. */
  list(): string[];
  /** Stores the state of a gate; `undefined` for a gate without state. */
  observe(couponId: string, gate: LiveGate | undefined): void;
  /** Stores that a gate would accept a purchase, or that it is sold out, until its state is read again. */
  observeReply(couponId: string, outcome: 'could-buy' | 'sold-out'): void;
}

type LiveGate = Pick<GateState, 'startsAt' | 'endsAt' | 'remaining' | 'isStale'>;

interface SalePeriod {
  startsAt: number;
  endsAt: number;
  isOpen: boolean;
  isSoldOut: boolean;
}

/** Creates the live gates of a node. */
export function createLiveGates(): LiveGates {
  const sales = new LRUCache<string, SalePeriod>({ max: MAX_COUPONS });
  return {
    isSelling(couponId, now) {
      const sale = sales.get(couponId);
      return sale?.isOpen === true && now >= sale.startsAt && now < sale.endsAt;
    },

    findEnd(couponId, now) {
      const sale = sales.get(couponId);
      if (sale && now >= sale.endsAt) return 'ended';
      return sale?.isSoldOut ? 'sold-out' : undefined;
    },

    isPaused(couponId) {
      const sale = sales.get(couponId);
      return !sale || !(sale.isOpen || sale.isSoldOut);
    },

    list: () => [...sales.keys()],

    observe(couponId, gate) {
      const before = sales.get(couponId);
      // A gate that lost its state sells nothing until its rebuild. One that was never read may be of no coupon.
      if (!gate) {
        if (before) sales.set(couponId, { ...before, isOpen: false, isSoldOut: false });
      } else {
        const { startsAt, endsAt, remaining, isStale } = gate;
        // A claim coupon has no remaining stock: `coupon.seckill` does not sell it.
        const isOpen = !isStale && remaining !== null && remaining > 0;
        sales.set(couponId, { startsAt, endsAt, isOpen, isSoldOut: !isStale && remaining === 0 });
      }
    },

    observeReply(couponId, outcome) {
      const { startsAt, endsAt } = sales.get(couponId) ?? { startsAt: 0, endsAt: Number.POSITIVE_INFINITY };
      const isOpen = outcome === 'could-buy';
      sales.set(couponId, { startsAt, endsAt, isOpen, isSoldOut: !isOpen });
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
