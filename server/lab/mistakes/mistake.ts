import type { Outcome } from '../decided-call';
import type { KeySnapshot } from '../key-snapshot';

export const mistakes = ['double-burst', 'node-clock', 'self-extending-block', 'cross-slot'] as const;
export type MistakeName = (typeof mistakes)[number];

/** A common mistake, and the product under the same load. */
export type Mistake = ComparedSides &
  (
    | { mistake: 'double-burst' | 'self-extending-block' }
    | {
        mistake: 'node-clock';
        /** Lead of the second node's clock over the first node's clock. */
        skewMs: number;
        /** The node (0 or 1) of each decision, by index. */
        nodes: number[];
      }
    | {
        mistake: 'cross-slot';
        naiveKeys: KeySlot[];
        productKeys: KeySlot[];
        /** False for a Redis without slots, which accepts any keys. */
        isCluster: boolean;
        /** Error reply to the naive script. Null if the script ran. */
        naiveError: string | null;
      }
  );

/** A key and its hash slot (0 to 16383). */
export interface KeySlot {
  key: string;
  slot: number;
}

interface ComparedSides {
  limit: number;
  windowMs: number;
  naive: MistakeSide;
  product: MistakeSide;
}

export interface MistakeSide extends Outcome {
  /** Maximum number of round trips of one call. */
  roundTrips: number;
  keys: KeySnapshot[];
}
