/** What became of a call. A `replayed` one charged nothing; an `unavailable` one met no store, and a closed policy. */
export type ArrivalOutcome = 'admitted' | 'replayed' | 'refused' | 'banned' | 'degraded' | 'unavailable';

/** One call that a policy decided. */
export interface Arrival {
  /** Epoch ms by Redis's clock. */
  at: number;
  outcome: ArrivalOutcome;
  /** The level that refused. */
  refusedBy?: string | undefined;
  /** The pseudonym of its subject at each level, in the policy's order; null where it has none. */
  subjects: readonly (string | null)[];
}
