import { LRUCache } from 'lru-cache';

/** The fencing token of a gate. Each rebuild raises the generation, each purchase raises the sequence. */
export interface Fence {
  generation: number;
  sequence: number;
}

/**
 * The highest fence of each gate that this node has seen: in its own purchases, in the messages of other nodes' ledgers,
 * and in Postgres. A gate with a lower fence is an older copy of itself and must not sell.
 */
export interface Fences {
  /** Returns 0/0 for an unknown coupon, which is below every fence. */
  highest(couponId: string): Fence;
  /** Stores a fence if it is the highest. The order of the calls does not matter. */
  observe(couponId: string, fence: Fence): void;
}

const UNKNOWN: Fence = { generation: 0, sequence: 0 };
/** Coupons in the memory of a node. An evicted fence returns from Postgres with the next read of its gate. */
export const MAX_COUPONS = 10_000;

/** Creates the fences of a node. */
export function createFences(): Fences {
  const fences = new LRUCache<string, Fence>({ max: MAX_COUPONS });
  const highest = (couponId: string) => fences.get(couponId) ?? UNKNOWN;
  return {
    highest,
    observe(couponId, fence) {
      if (isOlder(highest(couponId), fence)) fences.set(couponId, fence);
    },
  };
}

/**
 * Returns true if the first fence is lower. Compare a gate with the fence that was known before the gate was read: a fence
 * that arrives meanwhile may be newer than the reply.
 */
export function isOlder(one: Fence, other: Fence): boolean {
  return (
    one.generation < other.generation ||
    (one.generation === other.generation && one.sequence < other.sequence)
  );
}
