/**
 * A spent unit. It was spent between `from` and `until`, in epoch ms by the clock of Redis: after its call, and after the last
 * reply of the store if the call waited; before the decision was returned. The bounds contain the error of the measured clock.
 */
export interface Spend {
  from: number;
  until: number;
  /** True if the node held the unit when the call came. */
  isLeased: boolean;
}

/** A window that ends with a spend. */
export interface SpentWindow {
  /** The latest instant of the spend that ends the window. */
  at: number;
  /** The units that may lie in the window: an upper bound. */
  count: number;
}

/** Returns a window `(t − windowMs, t]` for each spend, in which t is its instant, with all units that may lie in it. */
export function listWindows(spends: readonly Spend[], windowMs: number): SpentWindow[] {
  const starts = Float64Array.from(spends, ({ from }) => from).sort();
  const ends = Float64Array.from(spends, ({ until }) => until).sort();
  return spends.map(({ from, until }) => ({
    at: until,
    count: countUpTo(starts, until) - countUpTo(ends, from - windowMs),
  }));
}

/** Returns how many sorted numbers are at most `most`. */
function countUpTo(sorted: Float64Array, most: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
