/** The fullest window of a list of times. */
export interface WorstWindow {
  /** The largest count in any (t - windowMs, t]. */
  count: number;
  /** The earliest such t, which is one of the times. Null for an empty list. */
  endsAt: number | null;
}

/** Finds the fullest (t - windowMs, t]. The times may be in any order. */
export function worstWindow(instants: readonly number[], windowMs: number): WorstWindow {
  const ordered = instants.toSorted((one, other) => one - other);
  let worst: WorstWindow = { count: 0, endsAt: null };
  let first = 0;
  ordered.forEach((endsAt, index) => {
    while ((ordered[first] ?? endsAt) <= endsAt - windowMs) first += 1;
    const count = index - first + 1;
    if (count > worst.count) worst = { count, endsAt };
  });
  return worst;
}
