import type { Algorithm } from './types';

/** All algorithms, in the order in which they are shown. A missing one does not compile. */
const places = {
  'sliding-log': 0,
  'sliding-counter': 1,
  'fixed-window': 2,
  'token-bucket': 3,
  'leaky-bucket': 4,
} as const satisfies Record<Algorithm, number>;

export const algorithms: readonly Algorithm[] = Object.keys(places).filter(isAlgorithm);

function isAlgorithm(name: string): name is Algorithm {
  return name in places;
}
