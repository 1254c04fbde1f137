/** The outcomes of a call. `replayed`: charged nothing. `unavailable`: the store was down and the policy is closed. */
export const arrivalOutcomes = [
  'admitted',
  'replayed',
  'refused',
  'banned',
  'degraded',
  'unavailable',
] as const;
export type ArrivalOutcome = (typeof arrivalOutcomes)[number];

/** A call that a policy decided. */
export interface Arrival {
  /** Epoch ms by Redis's clock. */
  at: number;
  outcome: ArrivalOutcome;
  /** The level that refused. */
  refusedBy?: string | undefined;
  /** Key name of the subject at each level, in the policy's order; null for a level without a subject. */
  subjects: readonly (string | null)[];
}
