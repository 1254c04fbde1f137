/** Amount and duration of generated traffic. */
export interface TrafficLoad {
  limit: number;
  windowMs: number;
  /** Calls in a window, in percent of the limit. */
  load: number;
  windows: number;
}

/** Returns the calls in one window, at least one. */
export function getCallsPerWindow({ limit, load }: TrafficLoad): number {
  return Math.max(1, Math.round((limit * load) / 100));
}

/** Spreads calls evenly: the first at `from`, the last before `from + overMs`. */
export function spreadEvenly({
  count,
  from,
  overMs,
}: {
  count: number;
  from: number;
  overMs: number;
}): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(from + (index * overMs) / count));
}
