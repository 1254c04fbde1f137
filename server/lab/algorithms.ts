import type { Algorithm } from '../limiter/index';

const bounds = {
  'sliding-log': (limit) => limit,
  'sliding-counter': (limit) => limit,
  'fixed-window': (limit) => 2 * limit,
  'token-bucket': (limit) => 2 * limit,
  'leaky-bucket': (limit) => 2 * limit,
} as const satisfies Record<Algorithm, (limit: number) => number>;

/** All algorithms, in display order. */
export const algorithms = [
  'sliding-log',
  'sliding-counter',
  'fixed-window',
  'token-bucket',
  'leaky-bucket',
] as const satisfies readonly Algorithm[];

/** Returns the published maximum of an algorithm in any (t - windowMs, t]. Its Lua include gives the proof. */
export function getBound(algorithm: Algorithm, limit: number): number {
  return bounds[algorithm](limit);
}
