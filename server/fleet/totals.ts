/** An outcome in the names of the totals that nodes send; see lua/fleet/heartbeat.lua. */
export type Outcome = 'admitted' | 'refused' | 'banned' | 'degraded';

export const outcomes: readonly Outcome[] = ['admitted', 'refused', 'banned', 'degraded'];

/** Stands for all levels of a policy when the deciding level is not known. */
export const EVERY_LEVEL = '*';

/** The name under which nodes send the decisions of one level and outcome: `policy|level|outcome`. */
export function nameOfTotal({ policy, level }: { policy: string; level: string }, outcome: Outcome): string {
  return `${policy}|${level}|${outcome}`;
}

const LATENCY = '*|latency|';

/** The name under which nodes send the number of decisions that took about this long; see `bucketOfTotal`. */
export function latencyTotal(durationMs: number): string {
  return `${LATENCY}${latencyBucket(durationMs)}`;
}

/** Returns the latency bucket of a total; `undefined` for a total of outcomes. */
export function bucketOfTotal(name: string): number | undefined {
  return name.startsWith(LATENCY) ? Number(name.slice(LATENCY.length)) : undefined;
}

/** The name under which nodes send the sum of the decision times of a policy, in µs. */
export function timeTotal(policy: string): string {
  return `${policy}|${EVERY_LEVEL}|time`;
}

/** Quantiles of the decision time, from bucket counts, which can be summed over nodes. */
export interface Latency {
  /** Upper bound in ms, at most a third above the true quantile. */
  p50Ms: number;
  p99Ms: number;
  /** Number of decisions. */
  decisions: number;
}

/**
 * Each bound is a third above the previous one: from 0.05 ms, faster than any store, to about 500 ms, slower than any
 * timeout. The last one stands for all durations above that.
 */
const BOUNDS_MS = Array.from({ length: 34 }, (_, index) => 0.05 * (4 / 3) ** index);

/** Returns the index of the bucket of a duration. The last bucket takes all durations above the bounds. */
export function latencyBucket(durationMs: number): number {
  const index = Math.ceil(Math.log(durationMs / 0.05) / Math.log(4 / 3) - 1e-9);
  return Math.min(BOUNDS_MS.length - 1, Math.max(0, index));
}

/** Computes the quantiles from counts by bucket; null if all counts are 0. */
export function latencyOf(counts: ReadonlyMap<number, number>): Latency | null {
  const buckets = [...counts].sort(([one], [other]) => one - other);
  const decisions = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (decisions === 0) return null;
  const quantile = (share: number) => {
    let seen = 0;
    for (const [bucket, count] of buckets) {
      seen += count;
      if (seen >= share * decisions) return Number((BOUNDS_MS[bucket] ?? 0).toPrecision(3));
    }
    return 0;
  };
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), decisions };
}
