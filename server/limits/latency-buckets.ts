/** How long decisions took, from counts that nodes can add up. */
export interface Latency {
  /** Upper bounds in ms: at most a third above what they stand for. */
  p50Ms: number;
  p99Ms: number;
  /** How many decisions these are of. */
  decisions: number;
}

/** Each bound is a third above the one before: from 0.05 ms, faster than any store, to 400 ms, slower than any wait. */
const BOUNDS_MS = Array.from({ length: 33 }, (_, place) => 0.05 * (4 / 3) ** place);

/** The bucket of a duration. What is slower than all bounds is in the last. */
export function latencyBucket(durationMs: number): number {
  const place = Math.ceil(Math.log(durationMs / 0.05) / Math.log(4 / 3) - 1e-9);
  return Math.min(BOUNDS_MS.length - 1, Math.max(0, place));
}

/** What counts by bucket say; null where nothing was counted. */
export function latencyOf(counts: ReadonlyMap<number, number>): Latency | null {
  const buckets = [...counts].sort(([one], [other]) => one - other);
  const decisions = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (decisions === 0) return null;
  const quantile = (share: number) => {
    let seen = 0;
    for (const [bucket, count] of buckets) {
      seen += count;
      if (seen >= share * decisions) return BOUNDS_MS[bucket] ?? 0;
    }
    return 0;
  };
  return { p50Ms: rounded(quantile(0.5)), p99Ms: rounded(quantile(0.99)), decisions };
}

function rounded(ms: number): number {
  return Number(ms.toPrecision(3));
}
