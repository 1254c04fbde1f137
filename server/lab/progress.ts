/** How far a run has come. */
export interface Progress {
  /** Decisions made. */
  done: number;
  /** Decisions to make. */
  of: number;
}
