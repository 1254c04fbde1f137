/** What became of a call. A `replayed` one charged nothing; an `unavailable` one met no store, and a closed policy. */
export const arrivalOutcomes = [
  'admitted',
  'replayed',
  'refused',
  'banned',
  'degraded',
  'unavailable',
] as const;
export type ArrivalOutcome = (typeof arrivalOutcomes)[number];

/** One call that a policy decided. */
export interface Arrival {
  /** Epoch ms by Redis's clock. */
  at: number;
  outcome: ArrivalOutcome;
  /** The level that refused. */
  refusedBy?: string | undefined;
  /** What stands for its subject in the keys of each level, in the policy's order; null where it has none. */
  subjects: readonly (string | null)[];
}
