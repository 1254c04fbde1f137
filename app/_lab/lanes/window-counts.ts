/** Counts the ascending times in (at - windowMs, at]. */
export function countInWindow(instants: readonly number[], windowMs: number, at: number): number {
  return findIndexAfter(instants, at) - findIndexAfter(instants, at - windowMs);
}

/** Lists the times at which that count can change: each arrival and its expiry. Ascending, from 0 to `until`. */
export function listChanges(
  lists: readonly (readonly number[])[],
  windowMs: number,
  until: number,
): number[] {
  const changes = new Set([0, until]);
  for (const at of lists.flat()) {
    if (at <= until) changes.add(at);
    if (at + windowMs <= until) changes.add(at + windowMs);
  }
  return [...changes].sort((one, other) => one - other);
}

/** Finds the index of the first time after `at`. */
export function findIndexAfter(instants: readonly number[], at: number): number {
  let [from, to] = [0, instants.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((instants[middle] ?? Number.POSITIVE_INFINITY) <= at) from = middle + 1;
    else to = middle;
  }
  return from;
}
