/** The fullest window of some instants. */
export interface WorstWindow {
  /** The largest count in any (t - windowMs, t]. */
  count: number;
  /** The earliest such t, which is the instant of one of them; null where there are none. */
  endsAt: number | null;
}

/** Finds the fullest (t - windowMs, t] of some instants, which need not be in order. */
export function worstWindow(instants: readonly number[], windowMs: number): WorstWindow {
  const ordered = instants.toSorted((one, other) => one - other);
  let worst: WorstWindow = { count: 0, endsAt: null };
  let first = 0;
  ordered.forEach((endsAt, place) => {
    while ((ordered[first] ?? endsAt) <= endsAt - windowMs) first += 1;
    const count = place - first + 1;
    if (count > worst.count) worst = { count, endsAt };
  });
  return worst;
}
