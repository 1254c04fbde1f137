/** How much is asked for, how long. */
export interface Demand {
  limit: number;
  windowMs: number;
  /** Calls in a window, in per cent of the limit. */
  load: number;
  windows: number;
}

/** Calls in one window, at least one. */
export function callsPerWindow({ limit, load }: Demand): number {
  return Math.max(1, Math.round((limit * load) / 100));
}

/** So many calls, evenly from an instant on: the first at `from`, the last before `from + overMs`. */
export function evenly({ count, from, overMs }: { count: number; from: number; overMs: number }): number[] {
  return Array.from({ length: count }, (_, place) => Math.floor(from + (place * overMs) / count));
}
