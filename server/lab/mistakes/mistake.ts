import type { Outcome } from '../decided-call';
import type { KeyLook } from '../key-look';

export const mistakes = ['double-burst', 'node-clock', 'self-extending-block', 'cross-slot'] as const;
export type MistakeName = (typeof mistakes)[number];

/** A common mistake, and the product under the same load. */
export type Mistake = Compared &
  (
    | { mistake: 'double-burst' | 'self-extending-block' }
    | {
        mistake: 'node-clock';
        /** How far the second node's clock is ahead of the first's. */
        skewMs: number;
        /** Which node took each of `decisions`, 0 or 1, by place. */
        nodes: number[];
      }
    | {
        mistake: 'cross-slot';
        naiveKeys: KeySlot[];
        productKeys: KeySlot[];
        /** Whether this Redis is a cluster. Else it has no slots and takes any keys. */
        isCluster: boolean;
        /** What Redis answered to the naive script; null where it ran, as on a Redis without slots. */
        naiveError: string | null;
      }
  );

/** What a cluster keeps the key in, of 16384. */
export interface KeySlot {
  key: string;
  slot: number;
}

interface Compared {
  limit: number;
  windowMs: number;
  naive: MistakeSide;
  product: MistakeSide;
}

export interface MistakeSide extends Outcome {
  /** The most round trips to Redis that a call made. */
  roundTrips: number;
  keys: KeyLook[];
}
