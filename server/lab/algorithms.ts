import type { Algorithm } from '../limiter';

const bounds = {
  'sliding-log': (limit) => limit,
  'sliding-counter': (limit) => limit,
  'fixed-window': (limit) => 2 * limit,
  'token-bucket': (limit) => 2 * limit,
  'leaky-bucket': (limit) => 2 * limit,
} as const satisfies Record<Algorithm, (limit: number) => number>;

/** All algorithms, in the order in which the lab shows them. */
export const algorithms = [
  'sliding-log',
  'sliding-counter',
  'fixed-window',
  'token-bucket',
  'leaky-bucket',
] as const satisfies readonly Algorithm[];

/** The most that an algorithm admits in any (t - windowMs, t]; its Lua include says why. */
export function boundOf(algorithm: Algorithm, limit: number): number {
  return bounds[algorithm](limit);
}
