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

/** The name under which nodes send the number of decisions in a latency bucket; see `bucketOfTotal`. */
export function latencyTotal(bucket: number): string {
  return `${LATENCY}${bucket}`;
}

/** Returns the latency bucket of a total; `undefined` for a total of outcomes. */
export function bucketOfTotal(name: string): number | undefined {
  return name.startsWith(LATENCY) ? Number(name.slice(LATENCY.length)) : undefined;
}
