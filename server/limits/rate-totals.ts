/** The names under which nodes count and share; see lua/limits/share-rates.lua. */
export type Outcome = 'admitted' | 'refused' | 'banned' | 'degraded';
export const outcomes: readonly Outcome[] = ['admitted', 'refused', 'banned', 'degraded'];

/** Stands for all levels of a policy where none is known. */
export const EVERY_LEVEL = '*';

export function nameOfTotal({ policy, level }: { policy: string; level: string }, outcome: Outcome): string {
  return `${policy}|${level}|${outcome}`;
}

const LATENCY = '*|latency|';

export function latencyTotal(bucket: number): string {
  return `${LATENCY}${bucket}`;
}

/** The bucket that a total counts; `undefined` where it counts something else. */
export function bucketOfTotal(name: string): number | undefined {
  return name.startsWith(LATENCY) ? Number(name.slice(LATENCY.length)) : undefined;
}
