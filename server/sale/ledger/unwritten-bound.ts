/**
 * How far the ledger may be behind a gate before the gate makes no more promises. docs/decisions/013 says how the
 * numbers are chosen.
 */
export interface UnwrittenBound {
  /** Orders of one coupon that wait to be written. */
  entries: number;
  /** How long the oldest of them has waited, by Redis's clock. */
  ageMs: number;
}

export const UNWRITTEN_BOUND: UnwrittenBound = { entries: 10_000, ageMs: 15_000 };
