/** Somebody who was refused often of late. */
export interface RefusedSubject {
  policy: string;
  level: string;
  /** Names the subject in `ops.explain`. */
  ref: string;
  /** Masked. */
  subject: string;
  /** So many refusals at least, on all nodes, within the last five to ten minutes. */
  atLeast: number;
  /** And so many at most: what was refused before the subject was among the fifty of a node is not known. */
  atMost: number;
}
