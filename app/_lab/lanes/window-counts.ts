/** How many of some ascending instants lie in (at - windowMs, at]. */
export function countInWindow(instants: readonly number[], windowMs: number, at: number): number {
  return placeAfter(instants, at) - placeAfter(instants, at - windowMs);
}

/** The instants at which that count may change: each comes, and leaves a window later. Ascending, from 0 to `until`. */
export function changesOf(lists: readonly (readonly number[])[], windowMs: number, until: number): number[] {
  const changes = new Set([0, until]);
  for (const at of lists.flat()) {
    if (at <= until) changes.add(at);
    if (at + windowMs <= until) changes.add(at + windowMs);
  }
  return [...changes].sort((one, other) => one - other);
}

/** The place of the first that is later than an instant. */
export function placeAfter(instants: readonly number[], at: number): number {
  let [from, to] = [0, instants.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((instants[middle] ?? Number.POSITIVE_INFINITY) <= at) from = middle + 1;
    else to = middle;
  }
  return from;
}
