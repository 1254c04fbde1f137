import { LRUCache } from 'lru-cache';

/** How far a gate has come: purchases raise its sequence, rebuilds its generation. */
export interface Fence {
  generation: number;
  sequence: number;
}

/**
 * The furthest that this node has seen each gate: by its own purchases, by the news of other nodes' ledgers, and by
 * what the ledger has written. A gate that is not as far is an older copy of itself and must not sell.
 */
export interface Fences {
  /** Of a coupon of which nothing is known: before everything. */
  highest(couponId: string): Fence;
  /** Marks may come in any order; the furthest one stays. */
  observe(couponId: string, mark: Fence): void;
}

const UNKNOWN: Fence = { generation: 0, sequence: 0 };
/** What is forgotten is learnt again from the ledger, within a second for every coupon that is on sale. */
const MOST_COUPONS = 10_000;

export function createFences(): Fences {
  const furthest = new LRUCache<string, Fence>({ max: MOST_COUPONS });
  const known = (couponId: string) => furthest.get(couponId) ?? UNKNOWN;
  return {
    highest: known,
    observe(couponId, mark) {
      if (isOlder(known(couponId), mark)) furthest.set(couponId, mark);
    },
  };
}

/** Compare a gate with what was known before it was asked: what is heard meanwhile may be newer than its answer. */
export function isOlder(one: Fence, other: Fence): boolean {
  return (
    one.generation < other.generation ||
    (one.generation === other.generation && one.sequence < other.sequence)
  );
}
